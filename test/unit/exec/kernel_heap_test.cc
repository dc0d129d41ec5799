// SPDX-License-Identifier: Apache-2.0
// Kernels' heaps: blocks do not overlap, room comes back, and nothing that is no block does harm.
#include "platform/exec/kernel_heap.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace conclave {
namespace {

class Memory {
 public:
  explicit Memory(size_t bytes) : bytes_(bytes + 128) {}
  uint64_t address() const { return (reinterpret_cast<uint64_t>(bytes_.data()) + 127) / 128 * 128; }

 private:
  std::vector<char> bytes_;
};

TEST(KernelHeap, HasNothingBeforeItIsMade) {
  KernelHeap heap;
  EXPECT_EQ(0u, heap.allocate(1, 1));
  EXPECT_EQ(0u, heap.reallocate(0, 1));
  heap.free(16);
}

TEST(KernelHeap, FirstFitAndMerging) {
  KernelHeap heap;
  const Memory memory(1024);
  const uint64_t base = memory.address();
  heap.init(base, 1024);
  EXPECT_EQ(base, heap.allocate(1, 1));
  EXPECT_EQ(base + 16, heap.allocate(100, 1));
  EXPECT_EQ(base + 128, heap.allocate(896, 1));
  EXPECT_EQ(0u, heap.allocate(1, 1));
  heap.free(base);
  EXPECT_EQ(0u, heap.allocate(17, 1));
  heap.free(base + 128);
  heap.free(base + 16);  // between two free blocks
  EXPECT_EQ(base, heap.allocate(1024, 1));
}

TEST(KernelHeap, AlignmentAndOddMemory) {
  KernelHeap heap;
  const Memory memory(4096);
  const uint64_t base = memory.address();
  heap.init(base + 3, 1000);
  EXPECT_EQ(base + 16, heap.allocate(8, 1));
  EXPECT_EQ(base + 128, heap.allocate(8, 128));
  EXPECT_EQ(base + 32, heap.allocate(8, 32));  // what was left out is not lost
  EXPECT_EQ(0u, heap.allocate(8, 24));
  EXPECT_EQ(0u, heap.allocate(8, 0));
  EXPECT_EQ(0u, heap.allocate(~uint64_t{0}, 16));
  EXPECT_EQ(0u, heap.allocate(8, uint64_t{1} << 63));
  heap.init(base, 7);
  EXPECT_EQ(0u, heap.allocate(1, 1));
}

TEST(KernelHeap, ReallocationKeepsContents) {
  KernelHeap heap;
  const Memory memory(1024);
  heap.init(memory.address(), 1024);
  const uint64_t block = heap.reallocate(0, 16);
  ASSERT_NE(0u, block);
  std::memcpy(reinterpret_cast<void*>(block), "sixteen letters", 16);
  EXPECT_EQ(block, heap.reallocate(block, 8));
  const uint64_t larger = heap.reallocate(block, 500);
  ASSERT_NE(0u, larger);
  EXPECT_STREQ("sixteen letters", reinterpret_cast<const char*>(larger));
  EXPECT_EQ(0u, heap.reallocate(larger, 2000));
  EXPECT_STREQ("sixteen letters", reinterpret_cast<const char*>(larger));
  EXPECT_EQ(0u, heap.reallocate(larger + 16, 20));
  EXPECT_EQ(0u, heap.reallocate(larger, 0));
  EXPECT_EQ(memory.address(), heap.allocate(1024, 1));
}

TEST(KernelHeap, EndsWithItsMemory) {
  KernelHeap heap;
  const Memory memory(1024);
  const uint64_t base = memory.address();
  heap.init(base + 256, 512);
  heap.forget(base, 256);
  heap.forget(base + 768, 256);
  EXPECT_NE(0u, heap.allocate(1, 1));
  heap.forget(base, 1024);
  EXPECT_EQ(0u, heap.allocate(1, 1));
  heap.free(base + 256);
  heap.free(12345);
}

// Four threads allocate, fill, check and free at random.
TEST(KernelHeap, ServesSeveralThreads) {
  KernelHeap heap;
  const Memory memory(1 << 16);
  heap.init(memory.address(), 1 << 16);
  std::atomic<int> damaged{0}, served{0};
  const auto work = [&](unsigned char mark) {
    std::mt19937 random(mark);
    std::map<uint64_t, size_t> mine;
    for (int i = 0; i < 20000; ++i) {
      if (random() % 2 || mine.empty()) {
        const size_t bytes = 1 + random() % 700;
        const uint64_t block = heap.allocate(bytes, 1u << random() % 8);
        if (!block) continue;
        ++served;
        std::memset(reinterpret_cast<void*>(block), mark, bytes);
        mine[block] = bytes;
      } else {
        const auto [block, bytes] = *mine.begin();
        const auto* text = reinterpret_cast<const unsigned char*>(block);
        for (size_t at = 0; at < bytes; ++at) damaged += text[at] != mark;
        heap.free(block);
        mine.erase(block);
      }
    }
    for (const auto& [block, bytes] : mine) heap.free(block);
  };
  std::vector<std::thread> threads;
  for (unsigned char mark = 1; mark <= 4; ++mark) threads.emplace_back(work, mark);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, damaged);
  EXPECT_GT(served, 1000);
  EXPECT_EQ(memory.address(), heap.allocate(1 << 16, 1));
}

}  // namespace
}  // namespace conclave
