// SPDX-License-Identifier: Apache-2.0
// Processes that die while they change the heaps: at each access to the tables (the code under test
// is compiled with stepping_atomic.h), and at any moment.
#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "interrupted_child.h"

namespace conclave::share {
namespace {

constexpr HeapId kDdr1 = HeapId::kDdr1;

// Runs `body` in a child that dies before its n-th access to the segment; false if it ended
// before.
bool dies_at(int n, const std::function<void()>& body) {
  const int status = wait_for(start_interrupted_child(SIGKILL, {n}, body));
  EXPECT_TRUE(status == 0 || status == 128 + SIGKILL) << status;
  return status == 128 + SIGKILL;
}

class HeapDeathTest : public testing::Test {
 protected:
  // Few entries, so that a test can use them all up.
  static constexpr uint32_t kEntries = 40;
  struct State : MixedHeaps {
    State() : MixedHeaps(kEntries) {}
  };

  // `change`: what process 0 does. At whichever access it dies, what process 1 has stays as it is,
  // process 0 has what it had before or would have after (or something between, where `gradual`),
  // and all memory can be used again.
  static void kill_everywhere(
      const std::function<void(State&)>& change, bool gradual = false,
      const std::function<void(State&)>& prepare = [](State&) {}) {
    Blocks before, after;
    {
      State state;
      prepare(state);
      before = blocks_of(state.heap, owner(0));
      change(state);
      after = blocks_of(state.heap, owner(0));
    }
    int n = 1;
    for (bool died = true; died; ++n) {
      SCOPED_TRACE("death at access " + std::to_string(n));
      State state;
      prepare(state);
      const Blocks others = blocks_of(state.heap, owner(1));
      died = dies_at(n, [&] { change(state); });
      ASSERT_EQ("", contradiction(state.segment.layout()));
      ASSERT_EQ(others, blocks_of(state.heap, owner(1)));
      const Blocks now = blocks_of(state.heap, owner(0));
      if (gradual)
        ASSERT_TRUE(std::includes(before.begin(), before.end(), now.begin(), now.end()));
      else
        ASSERT_TRUE(now == after || (died && now == before));
      expect_all_usable(state);
    }
    EXPECT_GT(n, 10) << "that is no test of anything";
  }

  // No memory and no entry of the table is lost.
  static void expect_all_usable(State& state) {
    state.expect_all_usable();
    for (int i = 0; i < int{kEntries} - 3; ++i) state.heap.allocate(kDdr1, 128, owner(1));
    ASSERT_EQ(CL_OUT_OF_RESOURCES,
              error_of([&] { state.heap.allocate(kDdr1, 128, owner(1)); }).code());
    ASSERT_EQ("", contradiction(state.segment.layout()));
  }
};

TEST_F(HeapDeathTest, WhileAHoleIsFilled) {
  kill_everywhere([](State& state) { state.heap.allocate(kDdr1, 256, owner(0)); });
}

TEST_F(HeapDeathTest, WhileAFreeBlockIsDivided) {
  kill_everywhere([](State& state) { state.heap.allocate(kDdr1, 128, owner(0)); });
}

TEST_F(HeapDeathTest, WhileAnEntryIsUsedForTheFirstTime) {
  const auto use_up_the_list = [](State& state) {
    while (state.segment.layout().header().unused_blocks.load())
      state.heap.allocate(HeapId::kMsmc, 128, owner(1));
  };
  kill_everywhere([](State& state) { state.heap.allocate(kDdr1, 1024, owner(0)); }, false,
                  use_up_the_list);
}

TEST_F(HeapDeathTest, InGlobalMemory) {
  kill_everywhere([](State& state) { state.heap.allocate_global(32 << 10, owner(0)); });
}

TEST_F(HeapDeathTest, WhileABlockIsFreed) {
  // Among them are blocks beside none, one and two free ones.
  for (size_t i = 0; i < 5; ++i)
    kill_everywhere([i](State& state) { state.heap.free(state.mine[i], owner(0)); });
}

TEST_F(HeapDeathTest, WhileAllBlocksAreFreed) {
  kill_everywhere([](State& state) { state.heap.free_all(owner(0)); }, true);
}

// By another one than the owner, as the guardian does.
TEST_F(HeapDeathTest, WhileTheTablesAreHealed) {
  kill_everywhere([](State& state) { state.heal(); });
}

TEST_F(HeapDeathTest, WhileWhatTheLastDeathLeftIsHealed) {
  for (int first = 20; first < 60; first += 3) {
    bool died = true;
    for (int n = 1; died; n += 7) {
      SCOPED_TRACE(testing::Message() << "deaths at access " << first << " and " << n);
      State state;
      const Blocks before = blocks_of(state.heap, owner(0));
      const Blocks others = blocks_of(state.heap, owner(1));
      dies_at(first, [&] { state.heap.free(state.mine[2], owner(0)); });
      died = dies_at(n, [&] { state.heap.report(kDdr1); });
      ASSERT_EQ("", contradiction(state.segment.layout()));
      ASSERT_EQ(others, blocks_of(state.heap, owner(1)));
      ASSERT_GE(blocks_of(state.heap, owner(0)).size(), before.size() - 1);
      expect_all_usable(state);
    }
  }
}

TEST_F(HeapDeathTest, WhileSizesAreSet) {
  bool died = true;
  for (int n = 1; died; ++n) {
    SCOPED_TRACE("death at access " + std::to_string(n));
    TestSegment segment(kEntries);
    Heap heap(segment.layout());
    died = dies_at(n, [&] { heap.configure(kSmallSizes); });
    ASSERT_EQ("", contradiction(segment.layout()));
    // Once ddr_heap1 has its size, the others have theirs.
    if (heap.size(kDdr1) != 0) {
      EXPECT_EQ(kSmallSizes.bytes[1], heap.size(HeapId::kDdr2));
      EXPECT_EQ(kSmallSizes.bytes[2], heap.size(HeapId::kMsmc));
    }
    ASSERT_TRUE(heap.configure(kSmallSizes));
    for (uint32_t id = 0; id < 3; ++id) heap.allocate(HeapId(id), kSmallSizes.bytes[id], owner(0));
  }
}

// Two go on while a third is killed again and again and its blocks are collected.
TEST_F(HeapDeathTest, AtAnyMomentBesideTheLiving) {
  TestSegment segment(2000);
  Heap heap(segment.layout());
  ASSERT_TRUE(heap.configure({{1 << 20, 1 << 20, 64 << 10}}));
  const auto work = [&](uint32_t slot, uint32_t seed, const std::function<bool()>& goes_on) {
    std::mt19937 random(seed);
    std::vector<Heap::Allocation> blocks;
    while (goes_on()) {
      if (blocks.size() < 200 && random() % 2) {
        blocks.push_back(heap.allocate_global(1 + random() % 1000, owner(slot)));
      } else if (!blocks.empty()) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        heap.free(blocks.back(), owner(slot));
        blocks.pop_back();
      }
    }
    Blocks mine;
    for (const auto& block : blocks) mine.emplace(block.address, block.size);
    return mine;
  };
  auto* stop = static_cast<std::atomic<bool>*>(mmap(nullptr, sizeof(std::atomic<bool>),
                                                    PROT_READ | PROT_WRITE,
                                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> living;
  for (uint32_t slot : {1, 2})
    living.push_back(start_child([&, slot] {
      const Blocks mine = work(slot, slot, [&] { return !stop->load(); });
      EXPECT_EQ(mine, blocks_of(heap, owner(slot)));
    }));
  std::mt19937 random(0);
  for (int death = 0; death < 300; ++death) {
    const pid_t child = start_child([&] { work(0, death, [] { return true; }); });
    std::this_thread::sleep_for(std::chrono::microseconds(300 + random() % 3000));
    kill(child, SIGKILL);
    wait_for(child);
    heap.free_all(owner(0));
    ASSERT_EQ(Blocks(), blocks_of(heap, owner(0)));
  }
  stop->store(true);
  for (pid_t child : living) EXPECT_EQ(0, wait_for(child));
  EXPECT_EQ("", contradiction(segment.layout()));
  for (uint32_t slot : {1, 2}) heap.free_all(owner(slot));
  EXPECT_EQ(1u, heap.report(kDdr1).blocks.size());
  munmap(stop, sizeof *stop);
}

}  // namespace
}  // namespace conclave::share
