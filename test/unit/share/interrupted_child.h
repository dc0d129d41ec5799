// SPDX-License-Identifier: Apache-2.0
// For tests that kill or stop a process while it changes the segment: a process that a signal meets
// at chosen accesses, and heaps for it to change. The code under test is compiled with
// stepping_atomic.h.
#ifndef CONCLAVE_TEST_UNIT_SHARE_INTERRUPTED_CHILD_H_
#define CONCLAVE_TEST_UNIT_SHARE_INTERRUPTED_CHILD_H_

#include <algorithm>
#include <vector>

#include "test_segment.h"

namespace conclave::share {

inline constexpr Heap::Sizes kSmallSizes = {{64 << 10, 64 << 10, 16 << 10}};

// How many accesses interrupt_after() still lets pass.
inline int accesses_left = 0;

// This process sends itself `signal` at the access that follows so many.
inline void interrupt_after(int accesses, int signal) {
  static int number;
  number = signal;
  accesses_left = accesses;
  step_hook = [] {
    if (--accesses_left == -1) raise(number);
  };
}

// Whether a child that run_child() has run was killed. Else it must have ended well.
inline bool was_killed(int status) {
  const bool killed = status == 128 + SIGKILL;
  EXPECT_TRUE(killed || status == 0) << status;
  return killed;
}

// Waits until a child stops, or else ends, which must be well. Whether it has stopped.
inline bool stops(pid_t child) {
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  EXPECT_TRUE(WIFSTOPPED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
  return WIFSTOPPED(status);
}
// Lets a child go on that has stopped, and waits for its end, which must be well.
inline void let_go_on(pid_t child) {
  kill(child, SIGCONT);
  EXPECT_EQ(wait_for(child), 0);
}

// Runs `body` in a forked child, which sends itself `signal` before each of the `accesses`, counted
// from 1.
template <class Body>
pid_t start_interrupted_child(int signal, const std::vector<int>& accesses, Body body) {
  return start_child([&] {
    static int number, count;
    static std::vector<int> numbers;
    number = signal;
    count = 0;
    numbers = accesses;
    step_hook = [] {
      ++count;
      if (std::find(numbers.begin(), numbers.end(), count) != numbers.end()) raise(number);
    };
    body();
    step_hook = nullptr;
  });
}

// Heaps in which process 0 has five blocks, between holes and blocks of process 1.
struct MixedHeaps {
  TestSegment segment;
  Heap heap{segment.layout()};
  std::vector<Heap::Allocation> mine;  // the blocks of process 0

  // `blocks`: entries of the table of heap blocks.
  explicit MixedHeaps(uint32_t blocks) : segment(blocks) {
    EXPECT_TRUE(heap.configure(kSmallSizes));
    std::vector<Heap::Allocation> holes;
    for (uint32_t i = 0; i < 10; ++i) {
      const auto block = heap.allocate(HeapId::kDdr1, 128 * (1 + i % 3), owner(i % 2));
      if (i % 2 == 0) mine.push_back(block);
      if (i == 4) heap.allocate(HeapId::kMsmc, 128, owner(1));
      if (i % 3 == 1) holes.push_back(heap.allocate(HeapId::kDdr1, 256, owner(1)));
    }
    for (const auto& hole : holes) heap.free(hole, owner(1));
  }

  // Repairs the tables, as is done when a process has died that held their lock.
  void heal() {
    segment.layout().header().heaps_damaged.fetch_add(1);
    heap.report(HeapId::kDdr1);
  }
  // All memory can be had again. Frees what both have.
  void expect_all_usable() {
    heap.free_all(owner(0));
    ASSERT_EQ(Blocks(), blocks_of(heap, owner(0)));
    heap.free_all(owner(1));
    for (uint32_t id = 0; id < 3; ++id)
      ASSERT_EQ(kSmallSizes.bytes[id],
                heap.allocate(HeapId(id), kSmallSizes.bytes[id], owner(1)).size);
    heap.free_all(owner(1));
  }
};

}  // namespace conclave::share

#endif  // CONCLAVE_TEST_UNIT_SHARE_INTERRUPTED_CHILD_H_
