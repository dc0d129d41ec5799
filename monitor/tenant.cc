// SPDX-License-Identifier: Apache-2.0
#include "monitor/tenant.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "platform/base/error.h"
#include "platform/share/access_modes.h"
#include "platform/share/daemon_bell.h"

namespace conclave::monitor {
namespace {

// More than accidents ever cause.
constexpr int kMostRemovals = 100;

}  // namespace

using share::Lease;
using share::Owner;

Tenant::Tenant(std::string name, std::unique_ptr<share::Segment> segment)
    : name_(std::move(name)), segment_(std::move(segment)), registry_(segment_->layout()) {
  enter();
}

void Tenant::enter() {
  leases_.emplace(layout(), registry_.enter());
  self_.store(leases_->self().bits());
  layout().header().daemon.store(leases_->self().bits());
  // The guardian watches the daemon as soon as it knows which entry that is.
  layout().header().registrations.fetch_add(1);
  syscall(SYS_futex, &layout().header().registrations, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  ticket_ = 0;
}

bool Tenant::stay_entered() {
  if (leases_->entered() && share::is_daemon(layout(), leases_->self())) return false;
  if (++removals_ > kMostRemovals)
    throw Error(CL_OUT_OF_RESOURCES, "somebody removes ti-mctd from the table again and again");
  registry_.remove_blockless(leases_->self());
  enter();
  return true;
}

void Tenant::leave() {
  registry_.remove_blockless(leases_->self());
}

size_t Tenant::processes() const {
  const std::vector<Owner> everybody = registry_.everybody();
  return everybody.size() -
         static_cast<size_t>(std::count(everybody.begin(), everybody.end(), leases_->self()));
}

Tenant::DeviceUse Tenant::device_use() const {
  DeviceUse use;
  const Owner daemon = leases_->self();
  const Owner alone = Owner::from_bits(layout().header().exclusive.load());
  use.wants_alone = alone != daemon && registry_.find(alone);
  for (Owner owner : registry_.everybody())
    if (const share::ProcessEntry* entry = registry_.find(owner); entry && owner != daemon)
      use.contexts += entry->contexts.load();
  for (const share::AccessModes::Holder& holder : share::AccessModes(layout(), daemon).report())
    if (holder.owner != daemon) use.modes |= holder.modes;
  const share::XclbinSlot slot(layout(), daemon);
  const std::optional<share::XclbinSlot::Loaded> loaded = slot.loaded();
  if (!loaded) return use;
  use.xclbin = loaded->uuid;
  use.loaded_ns = loaded->since_ns;
  for (const share::XclbinSlot::Holder& holder : slot.holders()) {
    if (holder.owner == daemon) continue;
    use.on_xclbin.count += holder.contexts.count;
    use.on_xclbin.units = use.on_xclbin.units | holder.contexts.units;
    use.on_xclbin.alone = use.on_xclbin.alone | holder.contexts.alone;
  }
  return use;
}

// A process that consults the daemon reads this after the daemon has answered.
void Tenant::show_others(uint32_t users, const DeviceUse& use) {
  share::Header& header = layout().header();
  const Owner daemon = leases_->self();
  uint32_t nobody = 0, others = daemon.bits();
  if (use.wants_alone)
    header.exclusive.compare_exchange_strong(nobody, daemon.bits());
  else
    header.exclusive.compare_exchange_strong(others, 0);
  share::XclbinSlot::Uuid xclbin = use.xclbin.value_or(share::XclbinSlot::Uuid{});
  uint64_t words[2];
  std::memcpy(words, xclbin.data(), sizeof words);
  for (int i = 0; i < 2; ++i) header.last_xclbin[i].store(words[i]);
  layout().process(daemon.slot()).contexts.store(static_cast<uint32_t>(use.contexts));
  share::XclbinSlot(layout(), daemon).show(use.on_xclbin);
  share::AccessModes(layout(), daemon).show(use.modes);
  header.other_users.store(users);
}

bool Tenant::works_on(uint32_t unit) const {
  const Lease lease = Lease::of(leases_->word(unit));
  return lease.state >= Lease::kGranted && lease.owner != leases_->self() &&
         registry_.find(lease.owner);
}

void Tenant::give(uint32_t unit) {
  leases_->give(unit);
}

// The daemon's entry has used nothing, so it is its turn wherever it asks. While the daemon was
// stopped others may have withdrawn its request.
void Tenant::request(const ComputeUnitSet& units) {
  // Nobody else may ask in the daemon's name: it would be handed units for ever.
  for (uint32_t i = 1; i < share::kRequests; ++i)
    if (leases_->has_request(i)) leases_->withdraw(i);
  const bool wants = units.size() > 0;
  if (wants ? ticket_ && leases_->is_published(0, units, ticket_) : !leases_->has_request(0))
    return;
  if (!wants) {
    ticket_ = 0;
    return leases_->withdraw(0);
  }
  ticket_ = leases_->request(0, units, ticket_);
}

}  // namespace conclave::monitor
