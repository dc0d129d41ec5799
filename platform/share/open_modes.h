// SPDX-License-Identifier: Apache-2.0
// What is open, and in which access modes: in one process, which has each thing in one mode, or in
// all processes of a user.
#ifndef CONCLAVE_PLATFORM_SHARE_OPEN_MODES_H_
#define CONCLAVE_PLATFORM_SHARE_OPEN_MODES_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "platform/share/access_mode.h"

namespace conclave::share {

// The things that have modes: the graphs of the xclbin by their numbers, then the array.
inline constexpr uint32_t kMostGraphs = 256;
inline constexpr uint32_t kArray = kMostGraphs;
inline constexpr uint32_t kThingsWithModes = kMostGraphs + 1;

class OpenModes {
 public:
  using Set = std::bitset<kThingsWithModes>;

  Set& in(AccessMode mode) { return sets_[static_cast<size_t>(mode)]; }
  const Set& in(AccessMode mode) const { return sets_[static_cast<size_t>(mode)]; }

  bool none() const { return sets_[0].none() && sets_[1].none() && sets_[2].none(); }
  // The mode that forbids most.
  std::optional<AccessMode> strongest(uint32_t thing) const {
    for (AccessMode mode : {AccessMode::kExclusive, AccessMode::kPrimary, AccessMode::kShared})
      if (in(mode)[thing]) return mode;
    return std::nullopt;
  }
  OpenModes& operator|=(const OpenModes& other) {
    for (size_t i = 0; i < sets_.size(); ++i) sets_[i] |= other.sets_[i];
    return *this;
  }
  OpenModes& operator&=(const OpenModes& other) {
    for (size_t i = 0; i < sets_.size(); ++i) sets_[i] &= other.sets_[i];
    return *this;
  }
  bool operator==(const OpenModes&) const = default;

 private:
  std::array<Set, 3> sets_;  // by mode
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_OPEN_MODES_H_
