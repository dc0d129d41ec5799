// SPDX-License-Identifier: Apache-2.0
// Pieces of full and of smaller work-groups, compared with a look at every group.
#include "platform/exec/full_groups.h"

#include <gtest/gtest.h>

#include <vector>

namespace conclave {
namespace {

abi::Launch launch_of(const uint64_t (&global)[3], const uint64_t (&local)[3]) {
  abi::Launch launch{};
  for (int d = 0; d < 3; ++d) {
    launch.global_size[d] = global[d];
    launch.local_size[d] = local[d];
    launch.num_groups[d] = (global[d] + local[d] - 1) / local[d];
  }
  return launch;
}

bool is_full(const abi::Launch& launch, uint64_t group) {
  for (int d = 0; d < 3; ++d) {
    const uint64_t id = group % launch.num_groups[d];
    if ((id + 1) * launch.local_size[d] > launch.global_size[d]) return false;
    group /= launch.num_groups[d];
  }
  return true;
}

// Every piece once, in order, of one kind, and as long as it can be.
void expect_right_pieces(const abi::Launch& launch, uint64_t first, uint64_t count) {
  uint64_t at = first;
  int before = -1;
  split_by_fullness(launch, first, count, [&](uint64_t begin, uint64_t groups, bool full) {
    ASSERT_EQ(at, begin);
    ASSERT_LT(0u, groups);
    ASSERT_NE(before, static_cast<int>(full));
    for (uint64_t i = 0; i < groups; ++i) ASSERT_EQ(full, is_full(launch, begin + i));
    at += groups;
    before = full;
  });
  ASSERT_EQ(first + count, at);
}

TEST(FullGroups, EveryPieceOfEveryRange) {
  constexpr uint64_t kGlobals[][3] = {{12, 1, 1}, {13, 1, 1}, {12, 7, 1}, {13, 8, 1},
                                      {13, 7, 5}, {12, 8, 5}, {3, 7, 5},  {1, 1, 1}};
  for (const auto& global : kGlobals) {
    const abi::Launch launch = launch_of(global, {4, 2, 2});
    const uint64_t groups = launch.num_groups[0] * launch.num_groups[1] * launch.num_groups[2];
    for (uint64_t first = 0; first < groups; ++first)
      for (uint64_t count = 1; first + count <= groups; ++count)
        expect_right_pieces(launch, first, count);
  }
}

}  // namespace
}  // namespace conclave
