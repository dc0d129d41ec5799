// SPDX-License-Identifier: Apache-2.0
// A shared segment in memory that forked children share, with nothing before and after it: what
// reads or writes outside ends the process.
#ifndef CONCLAVE_TEST_UNIT_SHARE_TEST_SEGMENT_H_
#define CONCLAVE_TEST_UNIT_SHARE_TEST_SEGMENT_H_

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "platform/share/heap.h"
#include "platform/share/registry.h"

namespace conclave::share {

class TestSegment {
 public:
  // `blocks`: entries of the table of heap blocks.
  explicit TestSegment(uint32_t blocks = 512, uint32_t processes = 16) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t size =
        kProcessesOffset + processes * sizeof(ProcessEntry) + blocks * sizeof(HeapBlock);
    const size_t bytes = (size + page - 1) / page * page;
    mapped_ = bytes + 2 * page;
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, mapped_, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + page, bytes, PROT_READ | PROT_WRITE);
    auto& header = *new (memory_ + page) Header();
    header.process_capacity.store(processes);
    header.entries_in_use.store(processes);
    header.size.store(size);
    layout_ = Layout::of(memory_ + page, size);
    Heap::initialize(layout_);
    for (uint32_t slot = 0; slot < processes; ++slot)
      layout_.process(slot).state.store(EntryState{1, 1, ProcessEntry::kLive}.word());
  }
  ~TestSegment() { munmap(memory_, mapped_); }
  TestSegment(const TestSegment&) = delete;

  const Layout& layout() const { return layout_; }

 private:
  Layout layout_;
  std::byte* memory_;
  size_t mapped_;
};

// One that nobody has entered.
class EmptySegment : public TestSegment {
 public:
  explicit EmptySegment(uint32_t processes = 8) : TestSegment(64, processes) {
    for (uint32_t slot = 0; slot < processes; ++slot) layout().process(slot).state.store(0);
  }
};

inline Owner owner(uint32_t slot) {
  return Owner(slot, 1);
}

// Runs `body` in a forked child; its exit status, 128 + signal if one ended it. `body` must end
// by itself: an alarm ends it after `seconds`.
template <class Body>
pid_t start_child(Body body, unsigned seconds = 60) {
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(seconds);
  try {
    body();
  } catch (const Error& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
    _exit(1);
  }
  _exit(testing::Test::HasFailure());
}
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
template <class Body>
int run_child(Body body) {
  return wait_for(start_child(body));
}

using Blocks = std::set<std::pair<uint64_t, uint64_t>>;  // address and size

// What `owner` has in all heaps.
inline Blocks blocks_of(const Heap& heap, Owner owner) {
  Blocks blocks;
  for (HeapId id : {HeapId::kDdr1, HeapId::kDdr2, HeapId::kMsmc})
    for (const Heap::Report::Block& block : heap.report(id).blocks)
      if (block.owner == owner) blocks.emplace(block.address, block.size);
  return blocks;
}

// Whether all that must hold for the heaps at any time does; "" or what does not.
inline std::string contradiction(const Layout& layout) {
  const Heap heap(layout);
  std::vector<uint64_t> owned(layout.process_capacity());
  for (uint32_t id = 0; id < 3; ++id) {
    const Heap::Report report = heap.report(HeapId(id));
    const std::string name = kHeapNames[id];
    uint64_t end = report.base, free = 0;
    bool after_free = false;
    for (const auto& block : report.blocks) {
      if (block.address != end) return name + ": blocks overlap or leave something out";
      if (block.size == 0 || block.size % Heap::kAlignment) return name + ": unaligned block";
      if (!block.owner && after_free) return name + ": neighbours have not merged";
      after_free = !block.owner;
      end += block.size;
      if (!block.owner) free += block.size;
      // What an earlier user of an entry has left does not belong to its next one.
      const uint32_t slot = block.owner.slot();
      if (block.owner &&
          EntryState::of(layout.process(slot).state.load()).generation == block.owner.generation())
        owned.at(slot) += block.size;
    }
    if (end != report.base + report.size) return name + ": its blocks do not add up to its size";
    if (free != report.available) return name + ": the free blocks do not add up to `available`";
    if (report.base % Heap::kAlignment) return name + ": its base is not aligned";
  }
  for (uint32_t slot = 0; slot < owned.size(); ++slot)
    if (layout.process(slot).heap_bytes.load() != owned[slot])
      return "process " + std::to_string(slot) + ": its blocks do not add up to its sum";
  return "";
}

// The error that `call` throws.
template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(CL_SUCCESS, "");
}

// The error number of what `call` throws, 0 if it throws nothing.
template <class Call>
int error_number(Call call, std::string* text = nullptr) {
  try {
    call();
    return 0;
  } catch (const Error& error) {
    if (text) *text = error.text();
    return error.error_number();
  }
}

}  // namespace conclave::share

#endif  // CONCLAVE_TEST_UNIT_SHARE_TEST_SEGMENT_H_
