// SPDX-License-Identifier: Apache-2.0
#include "monitor/mode_totals.h"

namespace conclave::monitor {
namespace {

using share::AccessMode;

constexpr AccessMode kModes[] = {AccessMode::kExclusive, AccessMode::kPrimary, AccessMode::kShared};

}  // namespace

void ModeTotals::count(const share::OpenModes& modes, int sign) {
  if (modes.none()) return;
  for (AccessMode mode : kModes) {
    const share::OpenModes::Set& set = modes.in(mode);
    if (set.none()) continue;
    for (uint32_t i = 0; i < share::kThingsWithModes; ++i) {
      if (!set[i]) continue;
      users_[static_cast<size_t>(mode)][i] += sign;
      all_ += sign;
    }
  }
}

share::OpenModes ModeTotals::modes() const {
  share::OpenModes modes;
  if (all_ == 0) return modes;
  for (AccessMode mode : kModes)
    for (uint32_t i = 0; i < share::kThingsWithModes; ++i)
      if (users_[static_cast<size_t>(mode)][i] > 0) modes.in(mode).set(i);
  return modes;
}

share::OpenModes ModeTotals::array_alone() {
  share::OpenModes modes;
  for (AccessMode mode : kModes) modes.in(mode).set(share::kArray);
  return modes;
}

}  // namespace conclave::monitor
