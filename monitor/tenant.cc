// SPDX-License-Identifier: Apache-2.0
#include "monitor/tenant.h"

#include <algorithm>

#include "platform/base/error.h"
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
  layout().header().daemon.store(leases_->self().bits());
  requested_ = ComputeUnitSet();
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

bool Tenant::works_on(uint32_t unit) const {
  const Lease lease = Lease::of(leases_->word(unit));
  return lease.state >= Lease::kGranted && lease.owner != leases_->self() &&
         registry_.find(lease.owner);
}

void Tenant::give(uint32_t unit) {
  leases_->give(unit);
}

// The daemon's entry has used nothing, so it is its turn wherever it asks.
void Tenant::request(const ComputeUnitSet& units) {
  if (units == requested_) return;
  requested_ = units;
  if (units.size() == 0) {
    ticket_ = 0;
    return leases_->withdraw(0);
  }
  ticket_ = leases_->wish(0, units, ticket_);
}

}  // namespace conclave::monitor
