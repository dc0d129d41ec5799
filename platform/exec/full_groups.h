// SPDX-License-Identifier: Apache-2.0
// Which work-groups of an ND-range have the full local size: the last ones of a dimension may be
// smaller.
#ifndef CONCLAVE_PLATFORM_EXEC_FULL_GROUPS_H_
#define CONCLAVE_PLATFORM_EXEC_FULL_GROUPS_H_

#include <algorithm>
#include <cstdint>

#include "conclave/kernel_abi.h"

namespace conclave {

// Calls run(first, count, full) for pieces of the groups [first, first + count), in their order.
// Each piece is as long as possible and contains only full groups, or none.
template <class Run>
void split_by_fullness(const abi::Launch& launch, uint64_t first, uint64_t count, Run run) {
  const uint64_t* groups = launch.num_groups;
  const auto full_groups = [&](int d) { return launch.global_size[d] / launch.local_size[d]; };
  const uint64_t full_x = full_groups(0), full_y = full_groups(1), full_z = full_groups(2);
  const uint64_t end = first + count;
  uint64_t begin = first;  // of the piece, which is `full` and ends at `at`
  bool full = false;
  for (uint64_t at = first; at < end;) {
    const uint64_t x = at % groups[0], row = at / groups[0];
    const bool full_row = row % groups[1] < full_y && row / groups[1] < full_z;
    const bool next_full = full_row && x < full_x;
    if (at > begin && next_full != full) {
      run(begin, at - begin, full);
      begin = at;
    }
    full = next_full;
    at = std::min(end, at + (next_full ? full_x : groups[0]) - x);
  }
  if (end > begin) run(begin, end - begin, full);
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_FULL_GROUPS_H_
