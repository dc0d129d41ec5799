// SPDX-License-Identifier: Apache-2.0
// A set of compute units by index: a plain form, and one that threads change concurrently.
#ifndef CONCLAVE_PLATFORM_BASE_COMPUTE_UNIT_SET_H_
#define CONCLAVE_PLATFORM_BASE_COMPUTE_UNIT_SET_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace conclave {

inline constexpr uint32_t kMaxComputeUnits = 256;

class ComputeUnitSet {
 public:
  static constexpr uint32_t kWords = kMaxComputeUnits / 64;

  void add(uint32_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void add_word(uint32_t w, uint64_t members) { words_[w] |= members; }
  bool has(uint32_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  uint64_t word(uint32_t w) const { return words_[w]; }
  // The members that are in both sets.
  ComputeUnitSet operator&(const ComputeUnitSet& other) const {
    ComputeUnitSet both = *this;
    for (uint32_t w = 0; w < kWords; ++w) both.words_[w] &= other.words_[w];
    return both;
  }
  ComputeUnitSet operator|(const ComputeUnitSet& other) const {
    ComputeUnitSet all = *this;
    for (uint32_t w = 0; w < kWords; ++w) all.words_[w] |= other.words_[w];
    return all;
  }
  // The members that are not in the other set.
  ComputeUnitSet operator-(const ComputeUnitSet& other) const {
    ComputeUnitSet left = *this;
    for (uint32_t w = 0; w < kWords; ++w) left.words_[w] &= ~other.words_[w];
    return left;
  }
  // The first member from `i` on; kMaxComputeUnits if there is none.
  uint32_t first_from(uint32_t i) const {
    for (uint64_t skip = ~uint64_t{0} << (i % 64); i < kMaxComputeUnits; skip = ~uint64_t{0}) {
      const uint64_t members = words_[i / 64] & skip;
      if (members) return i / 64 * 64 + static_cast<uint32_t>(std::countr_zero(members));
      i = i / 64 * 64 + 64;
    }
    return kMaxComputeUnits;
  }
  uint32_t size() const {
    uint32_t n = 0;
    for (uint64_t word : words_) n += std::popcount(word);
    return n;
  }
  bool operator==(const ComputeUnitSet&) const = default;

 private:
  std::array<uint64_t, kWords> words_{};
};

// Each bit is a token: the thread that turns it from 1 to 0 owns the compute unit until it sets the
// bit again.
class AtomicComputeUnitSet {
 public:
  void give(uint32_t i) { words_[i / 64].fetch_or(uint64_t{1} << (i % 64)); }

  bool take(uint32_t i) {
    uint64_t bit = uint64_t{1} << (i % 64);
    return words_[i / 64].load() & bit && words_[i / 64].fetch_and(~bit) & bit;
  }

  // Calls attempt(i) for the members of `allowed` whose token is there, from `first` on and around,
  // until one succeeds. Returns that member, or -1. Must not read anything older than what the
  // caller did before (see Dispatcher::add_to_run_queue), hence seq_cst.
  template <class Attempt>
  int find(const ComputeUnitSet& allowed, uint32_t first, Attempt&& attempt) {
    const uint64_t from_first = ~uint64_t{0} << (first % 64);
    for (uint32_t k = 0; k <= ComputeUnitSet::kWords; ++k) {
      const uint32_t w = (first / 64 + k) % ComputeUnitSet::kWords;
      uint64_t members = allowed.word(w);
      if (k == 0) members &= from_first;
      if (k == ComputeUnitSet::kWords) members &= ~from_first;
      if (!members) continue;
      for (uint64_t free = words_[w].load() & members; free; free &= free - 1) {
        const uint32_t i = w * 64 + static_cast<uint32_t>(std::countr_zero(free));
        if (attempt(i)) return static_cast<int>(i);
      }
    }
    return -1;
  }

 private:
  std::array<std::atomic<uint64_t>, ComputeUnitSet::kWords> words_{};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_COMPUTE_UNIT_SET_H_
