// SPDX-License-Identifier: Apache-2.0
// The parts of a command that nobody has taken yet.
//
// They lie in spans, one for each compute unit that the command is worth. A compute unit takes parts
// from the span of its own number, and from those of others when that one is used up. So a kernel
// that is launched again finds on each CPU the data that it left in that CPU's caches, and compute
// units do not all change one word. A command in order has a single span: each part is taken after
// those before it.
#ifndef CONCLAVE_PLATFORM_EXEC_UNTAKEN_PARTS_H_
#define CONCLAVE_PLATFORM_EXEC_UNTAKEN_PARTS_H_

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>

namespace conclave {

class UntakenParts {
 public:
  struct Chunk {
    uint64_t first, count;  // count 0: nothing is left
  };

  // All parts, 0 to `total`, in so many spans, as far as there is memory for them. Spans begin at
  // multiples of `least`. Called once, before the first other call.
  void set(uint64_t total, uint64_t least, uint64_t spans) {
    whole_.next.store(0, std::memory_order_relaxed);
    whole_.end = total;
    spans = std::min({spans, kMostSpans, total / least});
    if (spans < 2) return;
    spans_.reset(new (std::nothrow) PaddedSpan[spans]);
    if (!spans_) return;
    for (uint64_t i = 0; i < spans; ++i) {
      const uint64_t begin = total / least * i / spans * least;
      spans_[i].next.store(begin, std::memory_order_relaxed);
      if (i > 0) spans_[i - 1].end = begin;
    }
    spans_[spans - 1].end = total;
    count_ = static_cast<uint32_t>(spans);
    left_.store(~uint64_t{0} >> (64 - spans), std::memory_order_relaxed);
  }

  // Takes up to `size` parts for compute unit number `unit`.
  Chunk take(uint32_t unit, uint64_t size) {
    if (count_ == 0) return whole_.take(size);
    uint32_t i = unit % count_;
    for (uint64_t left = left_.load(std::memory_order_relaxed); left;) {
      if (!(left >> i & 1))
        i = (i + static_cast<uint32_t>(std::countr_zero(std::rotr(left, static_cast<int>(i))))) %
            64;
      const Chunk chunk = spans_[i].take(size);
      if (chunk.first + chunk.count >= spans_[i].end) left_.fetch_and(~(uint64_t{1} << i));
      if (chunk.count) return chunk;
      left = left_.load(std::memory_order_relaxed) & ~(uint64_t{1} << i);
    }
    return {0, 0};
  }
  // Takes all that is left; how many parts.
  uint64_t take_rest() {
    if (count_ == 0) return whole_.take(whole_.end).count;
    uint64_t parts = 0;
    for (uint32_t i = 0; i < count_; ++i) parts += spans_[i].take(spans_[i].end).count;
    left_.store(0);
    return parts;
  }
  // After a take() that left nothing, in the one order of all seq_cst operations.
  bool empty() const { return count_ == 0 ? whole_.next.load() >= whole_.end : left_.load() == 0; }
  // Lets the only part of a command be taken again.
  void put_back() { whole_.next.store(0, std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kMostSpans = 64;  // a bit for each in left_

  struct Span {
    std::atomic<uint64_t> next{0};  // the first part that nobody has taken
    uint64_t end = 0;

    Chunk take(uint64_t size) {
      if (next.load(std::memory_order_relaxed) >= end) return {end, 0};
      const uint64_t first = next.fetch_add(size);
      return first < end ? Chunk{first, std::min(size, end - first)} : Chunk{end, 0};
    }
  };
  struct alignas(64) PaddedSpan : Span {};

  Span whole_;
  std::unique_ptr<PaddedSpan[]> spans_;
  uint32_t count_ = 0;             // 0: whole_ is the only span
  std::atomic<uint64_t> left_{0};  // the spans that may have some
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_UNTAKEN_PARTS_H_
