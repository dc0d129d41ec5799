// SPDX-License-Identifier: Apache-2.0
#include "monitor/snapshot.h"

#include <algorithm>
#include <set>

#include "platform/base/config.h"
#include "platform/share/access_modes.h"
#include "platform/share/leases.h"
#include "platform/share/registry.h"
#include "platform/share/unit_placement.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::monitor {
namespace {

using share::Layout;
using share::Lease;
using share::Owner;
using share::Registry;

uint32_t pid_of(const Layout& layout, Owner owner) {
  return static_cast<uint32_t>(Registry(layout).identity(owner).pid);
}

bool has_bit(const share::Atomic<uint64_t>* words, uint32_t unit) {
  return words[unit / 64].load() >> (unit % 64) & 1;
}

bool waits_for(const share::ProcessEntry& entry, uint32_t unit) {
  return std::any_of(std::begin(entry.requests), std::end(entry.requests),
                     [&](const auto& request) {
                       return request.ticket.load() != 0 && has_bit(request.units, unit);
                     });
}

std::vector<uint32_t> units_of(const share::ProcessEntry& entry) {
  std::vector<uint32_t> units;
  for (uint32_t unit = 0; unit < share::kCuEntries; ++unit)
    if (has_bit(entry.units, unit)) units.push_back(unit);
  return units;
}

std::vector<uint32_t> members(const ComputeUnitSet& set) {
  std::vector<uint32_t> list;
  for (uint32_t i = set.first_from(0); i < kMaxComputeUnits; i = set.first_from(i + 1))
    list.push_back(i);
  return list;
}

const char* name_of(Lease::State state) {
  switch (state) {
    case Lease::kIdle:
      return "idle";
    case Lease::kGranted:
      return "granted";
    case Lease::kActive:
      return "active";
    case Lease::kFree:
      break;
  }
  return "free";
}

UnitUse read_unit(const Layout& layout, uint32_t unit) {
  const share::CuEntry& entry = layout.unit(unit);
  UnitUse use;
  use.unit = unit;
  const Lease lease = Lease::of(entry.lease.load());
  // What a process that is gone has left behind is nobody's.
  use.holder = pid_of(layout, lease.owner);
  use.state = name_of(use.holder ? lease.state : Lease::kFree);
  if (const share::ProcessEntry* holder = Registry(layout).find(lease.owner);
      holder && use.state == std::string("active"))
    use.kernel = holder->kernel.get();
  use.guest = pid_of(layout, Lease::of(entry.guest.load()).owner);
  if (!use.guest) use.guest = pid_of(layout, Lease::of(entry.reliever.load()).owner);
  use.hand_overs = entry.hand_overs.load();
  use.busy_ns = entry.busy_ns.load();
  const Registry registry(layout);
  for (Owner owner : registry.everybody()) {
    const share::ProcessEntry* process = registry.find(owner);
    if (process && waits_for(*process, unit)) use.waiting.push_back(pid_of(layout, owner));
  }
  return use;
}

}  // namespace

Device read_device(const share::Segment& segment) {
  const share::Header& header = segment.layout().header();
  Device device;
  device.segment = segment.name();
  device.segment_bytes = segment.size();
  device.created_ns = header.created_ns.load();
  if (const Owner daemon = Owner::from_bits(header.daemon.load());
      liveness(Registry(segment.layout()).identity(daemon)) != share::Liveness::kDead)
    device.daemon_pid = header.daemon_pid.load();
  device.policy =
      header.policy.load() == static_cast<uint32_t>(share::Policy::kFcfs) ? "fcfs" : "interleave";
  device.time_slice_us = header.time_slice_us.load();
  device.exclusive_pid = pid_of(segment.layout(), Owner::from_bits(header.exclusive.load()));
  device.process_capacity = segment.layout().process_capacity();
  return device;
}

std::vector<ProcessUse> read_processes(const Layout& layout) {
  std::vector<ProcessUse> uses;
  const Registry registry(layout);
  for (Owner owner : registry.everybody()) {
    const share::ProcessEntry* entry = registry.find(owner);
    const share::ProcessIdentity identity = registry.identity(owner);
    if (!entry || identity.pid == 0) continue;  // has just left
    ProcessUse use;
    use.pid = static_cast<uint32_t>(identity.pid);
    use.uid = entry->uid.load();
    use.name = entry->name.get();
    use.command = entry->command.get();
    use.alive = liveness(identity) != share::Liveness::kDead;
    use.since_ns = entry->since_ns.load();
    use.contexts = entry->contexts.load();
    use.units = units_of(*entry);
    use.launches = entry->launches.load();
    use.work_groups = entry->work_groups.load();
    use.busy_ns = entry->busy_ns.load();
    use.wait_ns = entry->wait_ns.load();
    use.heap_bytes = entry->heap_bytes.load();
    use.compiles = entry->compiles.load();
    use.cache_hits = entry->cache_hits.load();
    use.faults = entry->faults.load();
    use.cost_ns = entry->cost_ns.load();
    use.queued = entry->queued.load();
    use.kernel = entry->kernel.get();
    uses.push_back(std::move(use));
  }
  return uses;
}

std::vector<UnitUse> read_units(const Layout& layout) {
  std::set<uint32_t> units;
  for (const share::UnitPlacement& unit : share::place_units(Config::get().compute_units))
    units.insert(unit.shared);
  for (const ProcessUse& process : read_processes(layout))
    units.insert(process.units.begin(), process.units.end());
  std::vector<UnitUse> uses;
  for (uint32_t unit = 0; unit < share::kCuEntries; ++unit) {
    UnitUse use = read_unit(layout, unit);
    if (units.contains(unit) || use.holder || use.guest) uses.push_back(std::move(use));
  }
  return uses;
}

std::vector<UnitUse> read_ever_used_units(const Layout& layout) {
  const Registry registry(layout);
  ComputeUnitSet listed;
  for (Owner owner : registry.everybody())
    if (const share::ProcessEntry* entry = registry.find(owner))
      for (const uint32_t unit : units_of(*entry)) listed.add(unit);
  std::vector<UnitUse> uses;
  for (uint32_t unit = 0; unit < share::kCuEntries; ++unit) {
    const share::CuEntry& entry = layout.unit(unit);
    if (listed.has(unit) || entry.busy_ns.load() || entry.hand_overs.load())
      uses.push_back(read_unit(layout, unit));
  }
  return uses;
}

std::optional<XclbinUse> read_xclbin(const Layout& layout) {
  const share::XclbinSlot::Report report = share::XclbinSlot(layout, Owner()).report();
  if (!report.resident) return std::nullopt;
  XclbinUse use;
  use.uuid = share::uuid_text(report.xclbin.uuid);
  use.loader = report.loader;
  use.since_ns = report.since_ns;
  for (uint32_t i = 0; i < report.xclbin.compute_units.size(); ++i) {
    const share::XclbinSlot::ComputeUnit& unit = report.xclbin.compute_units[i];
    use.compute_units.push_back({unit.name, members(unit.units), {}});
    for (const share::XclbinSlot::Holder& holder : report.holders)
      if (holder.contexts.units.has(i))
        use.compute_units.back().contexts.push_back(
            {pid_of(layout, holder.owner), holder.contexts.alone.has(i)});
  }
  for (const share::XclbinSlot::Holder& holder : report.holders)
    if (const share::ProcessEntry* entry = Registry(layout).find(holder.owner))
      use.holders.push_back({pid_of(layout, holder.owner), entry->command.get(),
                             entry->since_ns.load(), holder.contexts.count});
  return use;
}

std::vector<AccessUse> read_access(const Layout& layout) {
  std::vector<AccessUse> uses;
  for (const share::AccessModes::Holder& holder : share::AccessModes(layout, Owner()).report()) {
    const share::ProcessEntry* entry = Registry(layout).find(holder.owner);
    if (!entry) continue;  // has just left
    AccessUse use{
        pid_of(layout, holder.owner), entry->command.get(), entry->since_ns.load(), "", {}};
    if (const auto mode = holder.modes.strongest(share::kArray)) use.array = name_of(*mode);
    for (uint32_t i = 0; i < share::kMostGraphs; ++i)
      if (const auto mode = holder.modes.strongest(i))
        use.graphs.push_back({i, name_of(*mode), {}});
    uses.push_back(std::move(use));
  }
  return uses;
}

std::vector<HeapUse> read_heaps(const Layout& layout) {
  std::vector<HeapUse> uses;
  const share::Heap heap(layout);
  for (uint32_t i = 0; i < share::kHeapNames.size(); ++i) {
    const share::Heap::Report report = heap.report(static_cast<share::HeapId>(i));
    if (report.size == 0) continue;
    HeapUse use{share::kHeapNames[i], report.base, report.size, report.available, report.align, {}};
    for (const auto& block : report.blocks)
      use.blocks.push_back(
          {block.address, block.size, static_cast<bool>(block.owner), pid_of(layout, block.owner)});
    uses.push_back(std::move(use));
  }
  return uses;
}

std::vector<HeapTotal> read_heap_totals(const Layout& layout) {
  std::vector<HeapTotal> totals;
  const share::Heap heap(layout);
  for (uint32_t i = 0; i < share::kHeapNames.size(); ++i) {
    const uint64_t size = heap.size(static_cast<share::HeapId>(i));
    const uint64_t available = layout.header().heaps[i].available.load();
    if (size) totals.push_back({share::kHeapNames[i], size, std::min(available, size)});
  }
  return totals;
}

}  // namespace conclave::monitor
