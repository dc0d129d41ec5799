// SPDX-License-Identifier: Apache-2.0
// Passes compute units from user to user. Within a user's segment processes share as they do
// without a daemon. This class decides which user's segment a unit is in.
//
// A unit stays with a user until another one wants it. If nobody works on it then, it goes over at
// once. Otherwise its user gives it up after having had it for a time slice. Of several users who
// want it, the one who has used least goes first. A user so far behind that they would be a guest
// within a segment does not wait for that: the unit is lent, and for a moment two users work on it.
//
// This class measures what a user has used by looking whose units are at work; it asks nobody.
#ifndef CONCLAVE_MONITOR_ARBITER_H_
#define CONCLAVE_MONITOR_ARBITER_H_

#include <cstdint>
#include <map>
#include <vector>

#include "monitor/tenant.h"

namespace conclave::monitor {

class Arbiter {
 public:
  // Tenants must be removed before they end. `limit`: how many compute units the tenant may have at
  // the same time, 0: all. `weight`: how its time counts compared with that of others.
  void add(Tenant& tenant, uint32_t limit = 0, double weight = 1);
  void remove(Tenant& tenant);
  // The daemon's own settings; it does not believe those in a user's segment.
  void set_policy(share::Policy policy, uint64_t slice_ns) {
    policy_ = policy;
    slice_ns_ = slice_ns;
  }

  // Looks who wants what, and passes on what can be passed on now. To be called when a tenant's
  // bell has rung, and after the returned time in ns; 0: nobody waits.
  uint64_t look();

  // How often a unit has gone from one user to another.
  uint64_t hand_overs() const { return hand_overs_; }

 private:
  // CU time that is forgotten exponentially, in ns.
  class Use {
   public:
    // The tenant has used `units` units for the last `passed_ns`.
    void add(uint64_t passed_ns, double units);
    double ns() const { return ns_; }

   private:
    double ns_ = 0;
  };
  struct Account {
    Use use;  // weighted by the tenant's weight
    uint32_t limit;
    double weight;
    uint32_t units = 0;  // how many it has or has been lent
  };
  struct Guest {
    Tenant* tenant = nullptr;
    uint64_t worked_at = 0;  // when it was last seen at work
  };
  struct Unit {
    Unit() = default;
    Unit(Tenant* user, uint64_t since) : user(user), since(since) {}

    Tenant* user = nullptr;  // null: nobody's
    uint64_t since = 0;
    Guest guest;  // a tenant to whom it has been lent
    // The lease of its user's process as it was last seen, since when, and when others were told
    // last.
    uint64_t word = 0;
    uint64_t word_since = 0;
    uint64_t vouched_at = 0;
  };

  void stay_entered();
  void claim(Tenant& tenant);
  void account(uint64_t now);
  bool may_have_more(Tenant& tenant);
  Tenant* neediest(uint32_t unit, const std::map<Tenant*, ComputeUnitSet>& wanted);
  void pass(uint32_t unit, Tenant& to, uint64_t now);
  void follow(uint32_t unit, uint64_t now);
  bool are_kept_waiting(uint32_t unit, const std::map<Tenant*, ComputeUnitSet>& wanted) const;
  void vouch(uint32_t unit, const std::map<Tenant*, ComputeUnitSet>& wanted, uint64_t now);
  void serve(uint32_t unit, Tenant& next, uint64_t now);
  bool is_over(const Unit& unit, Tenant* next, uint64_t now) const;
  bool is_far_behind(Tenant& one, Tenant& other) const;

  std::map<Tenant*, Account> tenants_;
  std::vector<Unit> units_{share::kCuEntries};
  ComputeUnitSet known_;  // units that somebody has ever wanted; the others never moved
  share::Policy policy_ = share::Policy::kInterleave;
  uint64_t slice_ns_ = 4'000'000;
  uint64_t accounted_at_ = 0;
  uint64_t hand_overs_ = 0;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_ARBITER_H_
