// SPDX-License-Identifier: Apache-2.0
// The device's heaps: where blocks go, what a full heap says, garbage in the tables, several
// processes at once. (heap_death_test.cc: processes that die.)
#include "platform/share/heap.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "platform/base/clock.h"
#include "test_segment.h"

namespace conclave::share {
namespace {

constexpr HeapId kDdr1 = HeapId::kDdr1, kDdr2 = HeapId::kDdr2, kMsmc = HeapId::kMsmc;
constexpr uint64_t kBase = Heap::kRanges[0].base;

class HeapTest : public testing::Test {
 protected:
  HeapTest() { EXPECT_TRUE(heap_.configure({{1 << 20, 0, 64 << 10}})); }
  ~HeapTest() override { EXPECT_EQ("", contradiction(layout())); }

  const Layout& layout() const { return segment_.layout(); }
  Heap::Allocation allocate(uint64_t size, uint32_t slot = 0) {
    return heap_.allocate(kDdr1, size, owner(slot));
  }
  // Offsets in ddr_heap1.
  uint64_t place(uint64_t size) { return allocate(size).address - kBase; }
  uint64_t available(HeapId id = kDdr1) { return heap_.report(id).available; }

  TestSegment segment_;
  Heap heap_{segment_.layout()};
};

TEST_F(HeapTest, RangesNeverOverlap) {
  const auto end = [](uint32_t id) { return Heap::kRanges[id].base + Heap::kRanges[id].most; };
  EXPECT_LE(end(2), Heap::kRanges[0].base);
  EXPECT_LE(end(0), Heap::kRanges[1].base);
}

TEST_F(HeapTest, BlocksAreRoundedAndAdjoin) {
  EXPECT_EQ(0u, place(1));
  EXPECT_EQ(128u, place(128));
  EXPECT_EQ(256u, place(129));
  EXPECT_EQ(512u, place(0));  // even nothing has an address of its own
  EXPECT_EQ((1u << 20) - 640, available());
}

TEST_F(HeapTest, TheFirstHoleThatIsLargeEnoughIsTaken) {
  Heap::Allocation blocks[7];
  const uint64_t sizes[] = {512, 128, 256, 128, 384, 128, 512};
  for (int i = 0; i < 7; ++i) blocks[i] = allocate(sizes[i]);
  for (int i : {4, 0, 2}) heap_.free(blocks[i], owner(0));
  EXPECT_EQ(0u, place(256));                               // the first of three, not the best
  EXPECT_EQ(256u, place(256));                             // what is left of it
  EXPECT_EQ(blocks[4].address - kBase, place(300));        // too large for the second
  EXPECT_EQ(blocks[6].address - kBase + 512, place(300));  // behind all
  EXPECT_EQ(blocks[2].address - kBase, place(1));
}

TEST_F(HeapTest, NeighboursMergeInEveryOrder) {
  int order[] = {0, 1, 2, 3};
  do {
    Heap::Allocation blocks[4];
    for (auto& block : blocks) block = allocate(256);
    const auto wall = allocate(128);
    for (int i : order) {
      heap_.free(blocks[i], owner(0));
      ASSERT_EQ("", contradiction(layout()));
    }
    EXPECT_EQ(3u, heap_.report(kDdr1).blocks.size());
    EXPECT_EQ(0u, place(1024));
    heap_.free_all(owner(0));
    (void)wall;
    EXPECT_EQ(1u, heap_.report(kDdr1).blocks.size());
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

TEST_F(HeapTest, OnlyTheOwnerFreesAndOnlyOnce) {
  const auto block = allocate(128, 1);
  heap_.free(block, owner(2));
  heap_.free(block, Owner(1, 2));  // the next user of the entry in the process table
  EXPECT_EQ((1u << 20) - 128, available());
  heap_.free(block, owner(1));
  EXPECT_EQ(1u << 20, available());
  heap_.free(block, owner(1));
  const auto larger = allocate(256, 1);  // in the same place
  heap_.free(block, owner(1));
  heap_.free({HeapId(7), 0, kBase, 256}, owner(1));
  heap_.free({kDdr1, ~0u, kBase, 256}, owner(1));
  EXPECT_EQ((Blocks{{larger.address, 256}}), blocks_of(heap_, owner(1)));
}

TEST_F(HeapTest, FreeAllTakesOnlyOnesOwn) {
  for (uint32_t i = 0; i < 30; ++i) allocate(128 * (1 + i % 5), i % 3);
  heap_.allocate(kMsmc, 1000, owner(1));
  const Blocks others = blocks_of(heap_, owner(0));
  uint64_t bytes = 0;
  for (auto [address, size] : blocks_of(heap_, owner(1))) bytes += size;
  EXPECT_EQ(bytes, layout().process(1).heap_bytes.load());
  const auto freed = heap_.free_all(owner(1));
  EXPECT_EQ(11u, freed.blocks);
  EXPECT_EQ(bytes, freed.bytes);
  EXPECT_EQ(Blocks(), blocks_of(heap_, owner(1)));
  EXPECT_EQ(others, blocks_of(heap_, owner(0)));
  EXPECT_EQ(0u, heap_.free_all(owner(1)).blocks);
}

TEST_F(HeapTest, SizesChangeOnlyWhileNothingIsAllocated) {
  const auto block = allocate(1);
  EXPECT_FALSE(heap_.configure({{2 << 20, 0, 0}}));
  EXPECT_EQ(1u << 20, heap_.size(kDdr1));
  heap_.free(block, owner(0));
  EXPECT_TRUE(heap_.configure({{1000, ~uint64_t{0}, 0}}));
  EXPECT_EQ(896u, heap_.size(kDdr1));
  EXPECT_EQ(Heap::kRanges[1].most, heap_.size(kDdr2));
  EXPECT_EQ(0u, heap_.size(kMsmc));
  EXPECT_TRUE(heap_.report(kMsmc).blocks.empty());
}

TEST_F(HeapTest, AFullHeapSaysWhatIsLeft) {
  const auto first = allocate(512 << 10), second = allocate(256 << 10);
  allocate(128 << 10);
  heap_.free(second, owner(0));
  (void)first;
  const Error full = error_of([&] { allocate(300 << 10); });
  EXPECT_EQ(CL_MEM_OBJECT_ALLOCATION_FAILURE, full.code());
  EXPECT_EQ(
      "no device memory for 307200 bytes: ddr_heap1 has 393216 of 1048576 bytes left, 262144 in "
      "one piece (ddr-heap1-size-MiB sets its size); ti-mct-heap-check shows which processes have "
      "it",
      full.text());
  allocate(256 << 10);
  allocate(128 << 10);
  EXPECT_EQ(0u, available());
  EXPECT_EQ(CL_MEM_OBJECT_ALLOCATION_FAILURE, error_of([&] { allocate(1); }).code());
  EXPECT_EQ(CL_MEM_OBJECT_ALLOCATION_FAILURE, error_of([&] { allocate(~uint64_t{0}); }).code());
  const Error absent = error_of([&] { heap_.allocate(kDdr2, 1, owner(0)); });
  EXPECT_EQ(CL_MEM_OBJECT_ALLOCATION_FAILURE, absent.code());
  EXPECT_NE(std::string::npos,
            absent.text().find("there is no ddr_heap2 (ddr-heap2-size-MiB is 0)"))
      << absent.text();
}

TEST_F(HeapTest, AFullTableNamesTheRemedy) {
  std::vector<Heap::Allocation> blocks;
  // One of the 512 entries is the rest of ddr_heap1, one msmc_heap.
  for (int i = 0; i < 510; ++i) blocks.push_back(allocate(128));
  const Error full = error_of([&] { allocate(128); });
  EXPECT_EQ(CL_OUT_OF_RESOURCES, full.code());
  EXPECT_NE(std::string::npos, full.text().find("room for 512 blocks")) << full.text();
  EXPECT_NE(std::string::npos, full.text().find("raise linux-shmem-size-KB")) << full.text();
  heap_.free(blocks[17], owner(0));
  EXPECT_EQ(blocks[17].address, allocate(128).address);
  EXPECT_EQ(CL_OUT_OF_RESOURCES, error_of([&] { allocate(128); }).code());
  // What needs no entry more still works: the whole rest.
  allocate(available());
  EXPECT_EQ(0u, available());
}

// A writer of the segment may write its sizes too.
TEST_F(HeapTest, SizesAreReadOnce) {
  TestSegment segment(128);
  const Layout before = segment.layout();
  Header& header = before.header();
  Heap heap(before);
  ASSERT_TRUE(heap.configure({{1 << 20, 0, 0}}));
  header.size.store(UINT64_MAX);
  header.process_capacity.store(0);
  int count = 0;
  const auto fill = [&] {
    for (;; ++count) heap.allocate(kDdr1, 128, owner(0));
  };
  EXPECT_EQ(CL_OUT_OF_RESOURCES, error_of(fill).code());
  EXPECT_EQ(127, count);
  EXPECT_EQ("", contradiction(before));

  // A later reader believes them as far as they are mapped.
  const Layout after = Layout::of(before.base, before.bytes());
  EXPECT_EQ(0u, after.process_capacity());
  EXPECT_LE(after.bytes(), before.bytes());
  header.process_capacity.store(UINT32_MAX);
  EXPECT_LE(Layout::of(before.base, before.bytes()).bytes(), before.bytes());
  header.size.store(0);
  EXPECT_EQ(0u, Layout::of(before.base, before.bytes()).block_capacity());
  EXPECT_EQ(&nowhere, &before.process(before.process_capacity()));
}

// What is read may be another the next time it is read: also what a sort compares, or what decides
// whether there is room.
TEST_F(HeapTest, WordsThatChangeUnderneath) {
  TestSegment segment(64);
  Heap heap(segment.layout());
  ASSERT_TRUE(heap.configure({{1 << 20, 0, 4096}}));
  const pid_t vandal = start_child([&] {
    std::mt19937 random(1);
    Header& header = segment.layout().header();
    auto* table = reinterpret_cast<std::atomic<uint64_t>*>(&segment.layout().block(0));
    for (;;) {
      // Above the counts of the words: states, addresses and sizes that may be right.
      const uint64_t value = random() % 2 ? random() % 0x200 : 0xa2000000 / 128 + random() % 256;
      table[random() % (64 * sizeof(HeapBlock) / 8)].store(value << 24);
      if (random() % 64 == 0) header.heaps_damaged.fetch_add(1);
      if (random() % 64 == 0) header.blocks_in_use.store(random() % 80);
    }
  });
  int done = 0, refused = 0;
  for (const uint64_t end = now_ns() + 1'000'000'000; now_ns() < end;) {
    try {
      heap.free(heap.allocate(kDdr1, 128, owner(0)), owner(0));
      heap.free_all(owner(1));
      ++done;
    } catch (const Error&) {
      ++refused;
    }
  }
  kill(vandal, SIGKILL);
  EXPECT_EQ(128 + SIGKILL, wait_for(vandal));
  EXPECT_GT(done + refused, 0);
  // Its last store may have been one that allocations do not notice: the owner of a block.
  segment.layout().header().heaps_damaged.fetch_add(1);
  heap.largest_free(kDdr1);
  EXPECT_EQ("", contradiction(segment.layout()));
}

TEST_F(HeapTest, GlobalMemoryFollowsTisRule) {
  EXPECT_EQ(kDdr1, heap_.allocate_global(1 << 19, owner(0)).heap);  // there is no other
  heap_.free_all(owner(0));
  ASSERT_TRUE(heap_.configure({{1 << 20, 1 << 20, 0}}));
  const auto heap_for = [&](uint64_t size) { return heap_.allocate_global(size, owner(0)).heap; };
  EXPECT_EQ(kDdr2, heap_for(128 << 10));          // an eighth is not below an eighth
  EXPECT_EQ(kDdr1, heap_for((128 << 10) - 128));  // a little less is
  EXPECT_EQ(kDdr2, heap_for(512 << 10));
  EXPECT_EQ(kDdr1, heap_for(512 << 10));  // does not fit into ddr_heap2 any more
  EXPECT_EQ(kDdr2, heap_for(200 << 10));  // does
  const Error full = error_of([&] { heap_for(600 << 10); });
  EXPECT_EQ(CL_MEM_OBJECT_ALLOCATION_FAILURE, full.code());
  EXPECT_NE(std::string::npos, full.text().find("ddr_heap1 has ")) << full.text();
  EXPECT_NE(std::string::npos, full.text().find("ddr_heap2 has ")) << full.text();
}

TEST_F(HeapTest, LargestFreeBlock) {
  EXPECT_EQ(1u << 20, heap_.largest_free(kDdr1));
  EXPECT_EQ(0u, heap_.largest_free(kDdr2));
  const auto first = allocate(512 << 10);
  allocate(128);
  EXPECT_EQ((512u << 10) - 128, heap_.largest_free(kDdr1));
  heap_.free(first, owner(0));
  EXPECT_EQ(512u << 10, heap_.largest_free(kDdr1));
  EXPECT_EQ(0u, allocate(heap_.largest_free(kDdr1)).address - kBase);
}

// What the heap should do, in the plainest way.
class Model {
 public:
  explicit Model(uint64_t size) : size_(size) {}
  // -1: no room.
  int64_t allocate(uint64_t size) {
    uint64_t at = 0;
    for (auto [address, length] : blocks_) {
      if (address - at >= size) break;
      at = address + length;
    }
    if (size_ - at < size) return -1;
    blocks_[at] = size;
    return static_cast<int64_t>(at);
  }
  void free(uint64_t address) { blocks_.erase(address); }

 private:
  const uint64_t size_;
  std::map<uint64_t, uint64_t> blocks_;
};

TEST_F(HeapTest, RandomOperationsGoAsInTheModel) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    ASSERT_TRUE(heap_.configure({{64 << 10, 0, 0}}));
    Model model(64 << 10);
    std::vector<Heap::Allocation> blocks;
    for (int step = 0; step < 3000; ++step) {
      if (blocks.empty() || random() % 100 < 55) {
        const uint64_t size = 128 * (1 + random() % (random() % 8 ? 4 : 64));
        const int64_t expected = model.allocate(size);
        if (expected < 0) {
          EXPECT_EQ(CL_MEM_OBJECT_ALLOCATION_FAILURE, error_of([&] { allocate(size); }).code());
        } else {
          blocks.push_back(allocate(size, random() % 4));
          ASSERT_EQ(kBase + static_cast<uint64_t>(expected), blocks.back().address) << step;
        }
      } else {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        model.free(blocks.back().address - kBase);
        for (uint32_t slot = 0; slot < 4; ++slot) heap_.free(blocks.back(), owner(slot));
        blocks.pop_back();
      }
      if (step % 50 == 0) {
        ASSERT_EQ("", contradiction(layout())) << step;
      }
    }
    for (uint32_t slot = 0; slot < 4; ++slot) heap_.free_all(owner(slot));
    ASSERT_EQ(1u, heap_.report(kDdr1).blocks.size());
  }
}

// Anything at all may stand in the tables. (The sizes that say where they end are for the segment
// to check.)
TEST_F(HeapTest, GarbageInTheTablesIsHealed) {
  ASSERT_TRUE(heap_.configure({{1 << 20, 1 << 20, 64 << 10}}));
  Header& header = layout().header();
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::vector<Heap::Allocation> blocks;
    for (int i = 0; i < 40; ++i)
      blocks.push_back(
          heap_.allocate(HeapId(random() % 3), 128 * (1 + random() % 8), owner(i % 4)));
    for (int i = 0; i < 20; ++i) heap_.free(blocks[random() % 40], owner(random() % 4));
    auto* table = reinterpret_cast<std::atomic<uint32_t>*>(&layout().block(0));
    auto* heaps = reinterpret_cast<std::atomic<uint32_t>*>(&header.heaps);
    const auto garbage = [&] {
      return static_cast<uint32_t>(random() % 3 ? random() % 64 : random());
    };
    for (uint32_t i = 0, changes = 1 + random() % 6; i < changes; ++i) {
      switch (random() % 8) {
        case 0:
          header.unused_blocks.store(garbage());
          break;
        case 1:
          header.blocks_in_use.store(garbage());
          break;
        case 2:
          heaps[random() % (sizeof header.heaps / 4)].store(garbage());
          break;
        default:
          table[random() % (60 * sizeof(HeapBlock) / 4)].store(garbage());
      }
    }
    for (int i = 0; i < 30; ++i) {
      try {
        if (random() % 2)
          blocks.push_back(heap_.allocate(HeapId(random() % 3), 128, owner(random() % 4)));
        else
          heap_.free(blocks[random() % blocks.size()], owner(random() % 4));
      } catch (const Error& error) {  // a heap may have lost its size, the table its entries
        ASSERT_TRUE(error.code() == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                    error.text().find("linux-shmem-size-KB") != std::string::npos)
            << error.text();
      }
    }
    // Two blocks in one place that nobody has looked at yet are found by report().
    for (HeapId id : {kDdr1, kDdr2, kMsmc}) heap_.report(id);
    header.heaps_damaged.fetch_add(1);
    ASSERT_EQ("", contradiction(layout())) << "seed " << seed;
    for (uint32_t slot = 0; slot < 16; ++slot) heap_.free_all(owner(slot));
    for (HeapId id : {kDdr1, kDdr2, kMsmc})
      for (const auto& block : heap_.report(id).blocks) heap_.free_all(block.owner);
    ASSERT_TRUE(heap_.configure({{1 << 20, 1 << 20, 64 << 10}})) << "seed " << seed;
  }
}

TEST_F(HeapTest, AListThatGoesRoundInCirclesIsHealed) {
  const auto first = allocate(128), wall = allocate(128), second = allocate(128);
  allocate(128);
  heap_.free(first, owner(0));
  heap_.free(second, owner(0));
  layout().block(second.block).next_free.store(first.block + 1);
  EXPECT_EQ(512u, allocate(1024).address - kBase);
  layout().block(second.block).next_free.store(first.block + 1);
  EXPECT_EQ((1u << 20) - 1536, heap_.largest_free(kDdr1));
  layout().block(wall.block).next.store(first.block + 1);
  EXPECT_EQ(6u, heap_.report(kDdr1).blocks.size());
}

TEST_F(HeapTest, AFreeBlockThatReachesIntoOthersIsNotUsed) {
  const auto hole = allocate(256);
  const auto wall = allocate(128);
  const auto change = [&](uint64_t address, uint64_t size) {
    SegmentLock lock(layout().header().heap_lock);
    layout().block(hole.block).address.put(lock, address / Heap::kAlignment);
    layout().block(hole.block).size.put(lock, size / Heap::kAlignment);
  };
  heap_.free(hole, owner(0));
  change(hole.address, 512);
  EXPECT_EQ(wall.address + 128, allocate(512).address);
  EXPECT_EQ(hole.address, allocate(128).address);
  change(hole.address, 256);
  EXPECT_EQ(wall.address - 128, allocate(128).address);
  change(wall.address, 256);
  heap_.free_all(owner(0));
  EXPECT_EQ(1u << 20, available());
}

// Each process marks what it gets, so that nothing can be given to two.
TEST_F(HeapTest, ManyProcessesAtOnce) {
  constexpr uint64_t kUnits = (256 << 10) / 128;
  ASSERT_TRUE(heap_.configure({{256 << 10, 0, 0}}));
  auto* marks = static_cast<std::atomic<uint32_t>*>(
      mmap(nullptr, kUnits * 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const auto mark = [&](const Heap::Allocation& block, uint32_t from, uint32_t to) {
    for (uint64_t i = 0; i < block.size / 128; ++i)
      EXPECT_EQ(from, marks[(block.address - kBase) / 128 + i].exchange(to));
  };
  std::vector<pid_t> children;
  for (uint32_t slot = 0; slot < 4; ++slot)
    children.push_back(start_child([&, slot] {
      std::mt19937 random(slot);
      std::vector<Heap::Allocation> blocks;
      for (int step = 0; step < 20000; ++step) {
        if (blocks.size() < 100 && random() % 2) {
          try {
            blocks.push_back(allocate(1 + random() % 2000, slot));
            mark(blocks.back(), 0, slot + 1);
          } catch (const Error& error) {
            EXPECT_EQ(CL_MEM_OBJECT_ALLOCATION_FAILURE, error.code()) << error.text();
          }
        } else if (!blocks.empty()) {
          std::swap(blocks[random() % blocks.size()], blocks.back());
          mark(blocks.back(), slot + 1, 0);
          heap_.free(blocks.back(), owner(slot));
          blocks.pop_back();
        }
      }
      for (const auto& block : blocks) mark(block, slot + 1, 0);
      EXPECT_EQ(blocks.size(), heap_.free_all(owner(slot)).blocks);
    }));
  for (int i = 0; i < 50; ++i) {
    EXPECT_LE(heap_.report(kDdr1).available, 256u << 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (pid_t child : children) EXPECT_EQ(0, wait_for(child));
  EXPECT_EQ(1u, heap_.report(kDdr1).blocks.size());
  munmap(marks, kUnits * 4);
}

}  // namespace
}  // namespace conclave::share
