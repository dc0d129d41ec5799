// SPDX-License-Identifier: Apache-2.0
// A run-time parameter of a graph: readers see whole values alone, whatever the writer is at, and
// wherever it dies (the code under test is compiled with stepping_atomic.h).
#include "platform/share/parameter_slot.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "interrupted_child.h"
#include "platform/base/align.h"

namespace conclave::share {
namespace {

// A parameter in memory that forked children share, and bytes behind it that nobody may touch.
class SharedParameter {
 public:
  explicit SharedParameter(size_t bytes) : bytes_(bytes) {
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, size() + kGuard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::fill_n(memory_ + size(), kGuard, std::byte{0x5a});
  }
  ~SharedParameter() {
    EXPECT_TRUE(std::all_of(memory_ + size(), memory_ + size() + kGuard,
                            [](std::byte b) { return b == std::byte{0x5a}; }));
    munmap(memory_, size() + kGuard);
  }
  SharedParameter(const SharedParameter&) = delete;

  ParameterSlot slot() { return {*reinterpret_cast<Parameter*>(memory_), bytes_}; }
  Parameter& words() { return *reinterpret_cast<Parameter*>(memory_); }

 private:
  static constexpr size_t kGuard = 4096;
  size_t size() const { return sizeof(Parameter) + 2 * align_up(bytes_, size_t{64}); }

  const size_t bytes_;
  std::byte* memory_;
};

using Value = std::vector<unsigned char>;

Value pattern(size_t bytes, uint64_t number) {
  Value value(bytes);
  for (size_t i = 0; i < bytes; ++i) value[i] = static_cast<unsigned char>(number * 31 + i);
  return value;
}

TEST(ParameterSlot, KeepsValuesOfAllSizes) {
  for (const size_t bytes : {1u, 3u, 7u, 8u, 9u, 63u, 64u, 65u, 4096u, 65536u}) {
    SharedParameter parameter(bytes);
    ParameterSlot slot = parameter.slot();
    Value read(bytes + 1, 0xee);
    ASSERT_TRUE(slot.read(read.data()));
    EXPECT_EQ(read[bytes - 1], 0);
    for (uint64_t number = 1; number < 5; ++number) {
      slot.write(pattern(bytes, number).data());
      EXPECT_EQ(slot.version(), number);
      ASSERT_TRUE(slot.read(read.data()));
      ASSERT_EQ(Value(read.begin(), read.end() - 1), pattern(bytes, number));
      ASSERT_EQ(read[bytes], 0xee) << "more than was asked for";
    }
    EXPECT_EQ(slot.used(), 0u);
    slot.use(3);
    EXPECT_EQ(slot.used(), 3u);
    EXPECT_EQ(slot.version(), 4u);
    parameter.words().version.store(77);
    EXPECT_EQ(slot.version(), 4u) << "it goes by its own count";
    slot.write(pattern(bytes, 5).data());
    EXPECT_EQ(parameter.words().version.load(), 5u);
    slot.begin();
    EXPECT_EQ(slot.used(), 5u);
  }
}

TEST(ParameterSlot, ReadersSeeWholeValues) {
  for (const size_t bytes : {3u, 24u, 1000u}) {
    SharedParameter parameter(bytes);
    parameter.slot().write(pattern(bytes, 1).data());
    std::atomic<bool> ends{false};
    std::thread writer([&] {
      ParameterSlot slot = parameter.slot();
      for (uint64_t number = 2; !ends.load(); ++number) slot.write(pattern(bytes, number).data());
    });
    const ParameterSlot slot = parameter.slot();
    int whole = 0, changes = 0;
    unsigned char former = 0;
    for (int i = 0; i < 50'000'000 && changes < 5000; ++i) {
      Value value(bytes);
      if (!slot.read(value.data())) continue;
      ++whole;
      if (value[0] == former) std::this_thread::yield();  // both may have one CPU
      changes += value[0] != former;
      former = value[0];
      for (size_t k = 1; k < bytes; ++k) {
        if (value[k] == static_cast<unsigned char>(value[0] + k)) continue;
        ends.store(true);
        writer.join();
        FAIL() << "byte " << k << " of " << bytes << " is of another value";
      }
    }
    ends.store(true);
    writer.join();
    EXPECT_GE(whole, 5000);
    EXPECT_EQ(changes, 5000) << "too little was written meanwhile";
  }
}

TEST(ParameterSlot, WritersThatDieLeaveTheFormerValue) {
  constexpr size_t kBytes = 43;
  int deaths = 0;
  for (int n = 1;; ++n) {
    SharedParameter parameter(kBytes);
    ParameterSlot slot = parameter.slot();
    for (uint64_t number = 1; number <= 3; ++number) slot.write(pattern(kBytes, number).data());
    const int status = wait_for(start_interrupted_child(
        SIGKILL, {n}, [&] { parameter.slot().write(pattern(kBytes, 4).data()); }));
    Value value(kBytes);
    ASSERT_TRUE(slot.read(value.data()));
    if (status == 0) {
      ASSERT_EQ(value, pattern(kBytes, 4));
      break;
    }
    ASSERT_EQ(status, 128 + SIGKILL);
    ++deaths;
    ASSERT_EQ(value, pattern(kBytes, 3)) << "death at access " << n;
    // The next writer goes on.
    slot.write(pattern(kBytes, 5).data());
    ASSERT_TRUE(slot.read(value.data()));
    ASSERT_EQ(value, pattern(kBytes, 5));
  }
  EXPECT_EQ(deaths, 1 + 6 + 1) << "the version twice, and the words";
}

// Somebody scribbles: whatever is read, it is no more than the value's size, and nobody hangs.
TEST(ParameterSlot, AnyVersionCanBeRead) {
  SharedParameter parameter(20);
  ParameterSlot slot = parameter.slot();
  for (const uint64_t version : {~uint64_t{0}, uint64_t{1} << 63, uint64_t{77}}) {
    parameter.words().version.store(version);
    Value value(20);
    EXPECT_TRUE(slot.read(value.data()));
    slot.write(pattern(20, 9).data());
    EXPECT_TRUE(slot.read(value.data()));
    EXPECT_EQ(value, pattern(20, 9));
  }
}

}  // namespace
}  // namespace conclave::share
