// SPDX-License-Identifier: Apache-2.0
#include "monitor/device_users.h"

#include <utility>

namespace conclave::monitor {

namespace {

// What a user still has of what was granted. A process shows only its strongest mode. So one that
// shows primary may have had shared before and keep it, and one that had primary may go on in
// shared mode.
share::OpenModes still_had(share::OpenModes granted, share::OpenModes now) {
  using share::AccessMode;
  granted.in(AccessMode::kShared) |= granted.in(AccessMode::kPrimary);
  now.in(AccessMode::kShared) |= now.in(AccessMode::kPrimary);
  return granted &= now;
}

}  // namespace

void DeviceUsers::Totals::count(const Contexts& contexts, int sign) {
  count_ += sign * int64_t{contexts.count};
  for (uint32_t i = contexts.units.first_from(0); i < kMaxComputeUnits;
       i = contexts.units.first_from(i + 1)) {
    units_[i] += sign;
    if (contexts.alone.has(i)) alone_[i] += sign;
  }
}

DeviceUsers::Contexts DeviceUsers::Totals::contexts() const {
  Contexts all;
  all.count = static_cast<uint32_t>(count_);
  for (uint32_t i = 0; i < kMaxComputeUnits; ++i) {
    if (units_[i] > 0) all.units.add(i);
    if (alone_[i] > 0) all.alone.add(i);
  }
  return all;
}

void DeviceUsers::add(Tenant& tenant) {
  users_[&tenant];
  look(true);
}

void DeviceUsers::remove(Tenant& tenant) {
  if (const auto found = users_.find(&tenant); found != users_.end()) {
    granted_.remove(found->second.granted);
    granted_modes_.remove(found->second.granted_modes);
    users_.erase(found);
  }
  values_.remove(tenant);
  look(true);
}

void DeviceUsers::look(bool in_any_case) {
  if (!has_question() && !in_any_case) return;
  read();
  decide_on_loads();
  grant_contexts();
  grant_modes();
  show();
  bring_values();
}

bool DeviceUsers::has_question() {
  bool any = false;
  for (auto& [tenant, user] : users_) {
    const uint32_t questions = tenant->questions();
    any |= questions != user.questions;
    user.questions = questions;
  }
  return any;
}

// What has gone is no longer granted.
void DeviceUsers::read() {
  for (auto& [tenant, user] : users_) {
    user.now = tenant->device_use();
    user.now.wants_alone &= exclusion_;
    const Contexts& now = user.now.on_xclbin;
    granted_.remove(user.granted);
    user.granted.units = user.granted.units & now.units;
    user.granted.alone = user.granted.alone & now.alone;
    if (user.granted.count > now.count) user.granted.count = now.count;
    granted_.add(user.granted);
    granted_modes_.remove(user.granted_modes);
    user.granted_modes = still_had(user.granted_modes, user.now.modes);
    granted_modes_.add(user.granted_modes);
  }
}

// The xclbin that was loaded last is the device's, unless others had contexts on the former one.
void DeviceUsers::decide_on_loads() {
  for (auto& [tenant, user] : users_) {
    if (!user.now.xclbin || user.now.loaded_ns == user.loaded_ns) continue;
    user.loaded_ns = user.now.loaded_ns;
    if (granted_.contexts().count == user.granted.count) xclbin_ = user.now.xclbin;
  }
}

// Grants a context on a compute unit if no other user has the unit in a way that forbids it. What
// has been granted stays so.
void DeviceUsers::grant_contexts() {
  for (auto& [tenant, user] : users_) {
    const Contexts& now = user.now.on_xclbin;
    if (now.count == 0 && user.granted.count == 0) continue;
    granted_.remove(user.granted);
    user.granted = {};
    if (user.now.xclbin == xclbin_) {
      const Contexts others = granted_.contexts();
      user.granted.count = now.count;
      user.granted.alone = now.alone - others.units;
      user.granted.units = user.granted.alone | (now.units - now.alone - others.alone);
    }
    granted_.add(user.granted);
  }
}

// The same for access modes: grants each one unless another user has one that forbids it. Graphs
// are those of the device's xclbin. A process that has something in shared mode and wants it in
// primary mode shows only the latter, so a refused one counts as shared.
void DeviceUsers::grant_modes() {
  using Mode = share::AccessMode;
  for (auto& [tenant, user] : users_) {
    share::OpenModes wanted = user.now.modes;
    if (wanted.none() && user.granted_modes.none()) continue;
    if (user.now.xclbin != xclbin_) wanted &= ModeTotals::array_alone();
    granted_modes_.remove(user.granted_modes);
    const share::OpenModes others = granted_modes_.modes();
    const auto owned = others.in(Mode::kExclusive) | others.in(Mode::kPrimary);
    const auto any = owned | others.in(Mode::kShared);
    const auto refused = wanted.in(Mode::kPrimary)&owned;
    share::OpenModes granted;
    granted.in(Mode::kExclusive) = wanted.in(Mode::kExclusive) & ~any;
    granted.in(Mode::kPrimary) = wanted.in(Mode::kPrimary) & ~owned;
    granted.in(Mode::kShared) = (wanted.in(Mode::kShared) | refused) & ~others.in(Mode::kExclusive);
    user.granted_modes = granted;
    granted_modes_.add(user.granted_modes);
  }
}

// Brings values of parameters to those who have asked for them and may look at their graphs.
void DeviceUsers::bring_values() {
  using Mode = share::AccessMode;
  for (auto& [tenant, user] : users_) {
    const share::OpenModes& modes = user.granted_modes;
    values_.add_drivers(*tenant, modes.in(Mode::kExclusive) | modes.in(Mode::kPrimary));
  }
  for (auto& [tenant, user] : users_) values_.bring(*tenant, user.granted_modes.in(Mode::kShared));
}

// First shows those who want the device alone to all, and then counts the contexts: see
// Share::open_context().
void DeviceUsers::show() {
  const auto users = static_cast<uint32_t>(users_.size());
  uint64_t contexts = 0;
  size_t alone = 0;
  for (const auto& [tenant, user] : users_) {
    contexts += user.now.contexts;
    alone += user.now.wants_alone;
  }
  for (auto& [tenant, user] : users_) {
    Tenant::DeviceUse others;
    others.xclbin = xclbin_;
    others.wants_alone = alone > user.now.wants_alone;
    others.contexts = exclusion_ ? contexts - user.now.contexts : 0;
    granted_.remove(user.granted);
    others.on_xclbin = granted_.contexts();
    granted_.add(user.granted);
    granted_modes_.remove(user.granted_modes);
    others.modes = granted_modes_.modes();
    granted_modes_.add(user.granted_modes);
    tenant->show_others(users - 1, others);
    user.shown = others;
  }
  if (alone == 0) return;
  contexts = 0;
  for (auto& [tenant, user] : users_) contexts += user.now.contexts = tenant->device_use().contexts;
  for (auto& [tenant, user] : users_) {
    user.shown.contexts = contexts - user.now.contexts;
    tenant->show_others(users - 1, user.shown);
  }
}

}  // namespace conclave::monitor
