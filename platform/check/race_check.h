// SPDX-License-Identifier: Apache-2.0
// Looks for data races by the tags of a granule (conclave/check_abi.h), and updates the tags.
#ifndef CONCLAVE_PLATFORM_CHECK_RACE_CHECK_H_
#define CONCLAVE_PLATFORM_CHECK_RACE_CHECK_H_

#include <optional>

#include "platform/check/checked_launch.h"

namespace conclave::check {

// The place of an access: the tags of its first granule, and their number.
struct TagRange {
  uint64_t* writers;
  uint64_t* readers;
  uint64_t count;
};

struct Race {
  bool other_writes;              // or it reads
  std::optional<uint32_t> other;  // the linear global id of a work-item, if one is known
};

class RaceCheck {
 public:
  // Checks an access by the work-item `item` (a linear global id) to local or global memory.
  RaceCheck(const Unit& unit, bool is_local, uint32_t item, abi::CheckedAccess access);

  // The first race with an earlier access.
  std::optional<Race> find(const TagRange& tags) const;
  void note(const TagRange& tags) const;

 private:
  bool is_new(uint64_t tag) const { return tag >= least_; }
  bool is_ordered(uint64_t tag, uint64_t group) const;
  bool is_other_writer(uint64_t tag) const;
  bool is_other_reader(uint64_t tag) const;
  uint64_t group_of(uint32_t item) const;
  uint64_t reader_tag(uint64_t before) const;

  const Unit& unit_;
  const bool is_local_;
  const uint32_t item_;
  const abi::CheckedAccess access_;
  uint64_t stretch_;  // the tag without the item
  uint64_t least_;
  uint64_t group_;
};

}  // namespace conclave::check

#endif  // CONCLAVE_PLATFORM_CHECK_RACE_CHECK_H_
