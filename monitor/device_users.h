// SPDX-License-Identifier: Apache-2.0
// Decides which user has what of the device as a whole: its one xclbin, contexts on that xclbin's
// compute units, access modes of the array and of the xclbin's graphs, the device alone. Each
// user's processes settle this among themselves, in their segment. This class settles it between
// users, who are shown what the others have (platform/share/other_users.h).
#ifndef CONCLAVE_MONITOR_DEVICE_USERS_H_
#define CONCLAVE_MONITOR_DEVICE_USERS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "monitor/graph_values.h"
#include "monitor/mode_totals.h"
#include "monitor/tenant.h"

namespace conclave::monitor {

class DeviceUsers {
 public:
  // Whether a process that has the device alone keeps other users from it too, and is refused it
  // while they use it.
  void set_exclusion(bool wanted) { exclusion_ = wanted; }
  // Tenants must be removed before they end.
  void add(Tenant& tenant);
  void remove(Tenant& tenant);
  // Grants what can be granted, if anybody has asked, or `in_any_case`: a process that has died may
  // have left something.
  void look(bool in_any_case = false);

 private:
  using Contexts = share::XclbinSlot::Contexts;

  struct User {
    uint32_t questions = 0;  // how many have been answered
    Tenant::DeviceUse now;   // what its processes have or want
    uint64_t loaded_ns = 0;  // when the load was made that was decided on last
    Contexts granted;        // what others must respect
    share::OpenModes granted_modes;
    Tenant::DeviceUse shown;  // what it was told last that others have
  };
  // What all users have together: how many have each compute unit of the xclbin.
  class Totals {
   public:
    void add(const Contexts& contexts) { count(contexts, 1); }
    void remove(const Contexts& contexts) { count(contexts, -1); }
    Contexts contexts() const;

   private:
    void count(const Contexts& contexts, int sign);

    int64_t count_ = 0;
    std::array<int, kMaxComputeUnits> units_{}, alone_{};
  };

  bool has_question();
  void read();
  void decide_on_loads();
  void grant_contexts();
  void grant_modes();
  void show();
  void bring_values();

  std::map<Tenant*, User> users_;
  bool exclusion_ = false;
  Totals granted_;
  ModeTotals granted_modes_;
  GraphValues values_;
  std::optional<share::XclbinSlot::Uuid> xclbin_;  // the device's
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DEVICE_USERS_H_
