// SPDX-License-Identifier: Apache-2.0
#include "clients.h"

#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/share/share.h"

namespace conclave::test {
namespace {

using share::Heap;
using share::HeapId;
using share::Share;

// Stays until it is told to end, or nobody is left to tell.
void stay() {
  std::string line;
  std::getline(std::cin, line);
}
void be_ready_and_stay() {
  tell("ready");
  stay();
}

// Allocates blocks of the sizes given in ddr_heap1; "free:<i>" gives block i back.
void allocate(const Arguments& arguments) {
  Share& share = Share::get();
  std::vector<Heap::Allocation> blocks;
  for (const std::string& argument : arguments)
    if (argument.starts_with("free:"))
      share.heap().free(blocks.at(std::stoul(argument.substr(5))), share.self());
    else
      blocks.push_back(share.heap().allocate(HeapId::kDdr1, std::stoull(argument), share.self()));
  be_ready_and_stay();
}

// Has a context, and holds its first compute unit with kernel "spin"; 3 launches with 5
// work-groups, 6 ms of CU time, 4 of them counted by the compute unit, and 1 ms of waiting.
void hold(const Arguments&) {
  Share& share = Share::get();
  share.open_context();
  const uint32_t unit = share.units().front().shared;
  if (!share.leases().take(unit)) throw std::runtime_error("the compute unit is not free");
  share::ProcessEntry& entry = share.entry();
  entry.kernel.set("spin");
  entry.launches.store(3);
  entry.work_groups.store(5);
  entry.busy_ns.store(2'000'000);
  entry.wait_ns.store(1'000'000);
  entry.compiles.store(7);
  entry.cache_hits.store(8);
  entry.faults.store(9);
  share.leases().charge(unit, 4'000'000, 0);
  be_ready_and_stay();
}

// Has a context, and its first compute unit for half of the time with kernel "step": a launch of four
// work-groups each millisecond, as the clock says, at high priority; three commands wait.
void work(const Arguments&) {
  Share& share = Share::get();
  share.open_context();
  const uint32_t unit = share.units().front().shared;
  if (!share.leases().take(unit)) throw std::runtime_error("the compute unit is not free");
  share::ProcessEntry& entry = share.entry();
  entry.kernel.set("step");
  entry.heap_bytes.store(3 << 20);
  tell("ready");
  const int64_t begin = now_ns();
  for (uint64_t charged = 0; shared_page().stop == 0; usleep(2000)) {
    const auto passed = static_cast<uint64_t>(now_ns() - begin);
    entry.launches.store(passed / 1'000'000);
    entry.work_groups.store(passed / 250'000);
    entry.wait_ns.store(passed / 4);
    entry.queued.store(3);
    share.leases().charge(unit, passed / 2 - charged, (passed / 2 - charged) / 4);
    charged = passed / 2;
  }
}

// Waits for the first compute unit.
void request(const Arguments&) {
  Share& share = Share::get();
  share.open_context();
  ComputeUnitSet units;
  units.add(share.units().front().shared);
  share.leases().request(0, units, 0);
  be_ready_and_stay();
}

// Has loaded an xclbin with two compute units, and has a shared context on one and an
// exclusive one on the other.
void use_xclbin(const Arguments&) {
  Share& share = Share::get();
  share::XclbinSlot::Description xclbin;
  xclbin.uuid.fill(0x5a);
  for (const char* name : {"vadd:vadd_1", "vadd:vadd_2"})
    xclbin.compute_units.push_back({name, {}});
  xclbin.compute_units[0].units.add(0);
  xclbin.compute_units[1].units.add(1);
  xclbin.compute_units[1].units.add(2);
  share::XclbinSlot& slot = share.xclbin_slot();
  slot.load(xclbin);
  slot.open(xclbin.uuid, 0, share::XclbinSlot::Mode::kShared);
  slot.open(xclbin.uuid, 1, share::XclbinSlot::Mode::kExclusive);
  be_ready_and_stay();
}

// Has the array in primary mode, and two graphs of an xclbin.
void use_access_modes(const Arguments&) {
  Share& share = Share::get();
  share::XclbinSlot::Description xclbin;
  xclbin.uuid.fill(0x5a);
  share.xclbin_slot().load(xclbin);
  share::AccessModes& modes = share.membership().access_modes;
  modes.open_array(share::AccessMode::kPrimary);
  modes.open_graph(xclbin.uuid, 0, "gr[0]", share::AccessMode::kShared);
  modes.open_graph(xclbin.uuid, 2, "gr[2]", share::AccessMode::kExclusive);
  be_ready_and_stay();
}

// Stops while it holds the heaps' lock.
void stop_with_lock(const Arguments&) {
  Share& share = Share::get();
  share::SegmentLock lock(share.layout().header().heap_lock);
  tell("ready");
  raise(SIGSTOP);
  stay();
}

}  // namespace

const std::map<std::string, Role>& client_roles() {
  static const std::map<std::string, Role> roles = {{"allocate", allocate},
                                                    {"hold", hold},
                                                    {"work", work},
                                                    {"request", request},
                                                    {"use-xclbin", use_xclbin},
                                                    {"use-access-modes", use_access_modes},
                                                    {"stop-with-lock", stop_with_lock}};
  return roles;
}

}  // namespace conclave::test
