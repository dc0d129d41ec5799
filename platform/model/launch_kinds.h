// SPDX-License-Identifier: Apache-2.0
// The local sizes and image formats with which a kernel is launched, and its code for the frequent
// ones.
#ifndef CONCLAVE_PLATFORM_MODEL_LAUNCH_KINDS_H_
#define CONCLAVE_PLATFORM_MODEL_LAUNCH_KINDS_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "conclave/image_formats.h"
#include "conclave/kernel_abi.h"
#include "platform/model/form_contest.h"
#include "platform/model/specialized_code.h"

namespace conclave {

// What launches of a kernel may have in common.
struct LaunchKind {
  static constexpr size_t kMostFormats = 8;

  std::array<size_t, 3> local_size{};  // zeros: any
  // For each image argument an index into kImageFormats plus 1; 0: any.
  std::array<uint8_t, kMostFormats> image_formats{};

  bool has_size() const { return local_size[0] != 0; }
};

// One kind of a kernel's launches: how long they have taken together, and code for them, if there
// is some. Launches look and count without a lock; lost counts do no harm.
class LaunchKindUse {
 public:
  // Never due: the code is there, is being made, or cannot be made.
  static constexpr uint64_t kNever = UINT64_MAX;

  // Null: there is none. It may be set at any time, once.
  const SpecializedCode* code() const { return published_.load(std::memory_order_acquire); }
  // Null: there are no other forms of the code. It may be set at any time, once, after the code.
  FormContest* contest() const { return contest_.load(std::memory_order_acquire); }

  // Whether the kind must be served before its first launch. True for one caller only.
  bool take_due() { return due_ns_.load(std::memory_order_relaxed) == 0 && take(0); }
  // A launch took `ns`. Returns whether it is time to serve this kind; true for one caller only.
  bool add(uint64_t ns) {
    const uint64_t spent = spent_ns() + ns;
    spent_ns_.store(spent, std::memory_order_relaxed);
    const uint64_t due = due_ns_.load(std::memory_order_relaxed);
    return spent >= due && take(due);
  }
  uint64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }
  LaunchKind kind() const { return unpacked(number()); }
  // The kind as a number, which is the same in other processes.
  uint64_t number() const { return kind_.load(std::memory_order_relaxed); }

  // Whether this is the first process, as far as is known, that launches this kind for long.
  bool is_new() const { return is_new_.load(std::memory_order_relaxed); }
  void set_new() { is_new_.store(true, std::memory_order_relaxed); }

  // For the caller that was told that it is time: sets when it will be time again, or the code.
  void set_due(uint64_t spent_ns) { due_ns_.store(spent_ns, std::memory_order_relaxed); }
  void publish(SpecializedCode code) {
    code_ = std::make_unique<const SpecializedCode>(std::move(code));
    published_.store(code_.get(), std::memory_order_release);
  }
  void publish(std::unique_ptr<FormContest> contest) {
    owned_contest_ = std::move(contest);
    contest_.store(owned_contest_.get(), std::memory_order_release);
  }

 private:
  friend class LaunchKinds;

  // The size, if there is one, and as many formats as there is room for; the others are "any".
  // Never 0.
  static constexpr unsigned kSizeBits = 15, kFormatBits = 7, kBits = 62;
  static constexpr uint64_t kHasSize = uint64_t{1} << 62, kUsed = uint64_t{1} << 63;
  static_assert(kImageFormats.size() < 1 << kFormatBits);

  // Of a kind for any formats.
  static uint64_t packed(const std::array<size_t, 3>& size) {
    return kUsed | (size[0] ? kHasSize : 0) | uint64_t{size[0]} | uint64_t{size[1]} << kSizeBits |
           uint64_t{size[2]} << 2 * kSizeBits;
  }
  static uint64_t packed(const LaunchKind& kind) {
    uint64_t bits = packed(kind.local_size);
    unsigned at = kind.has_size() ? 3 * kSizeBits : 0;
    for (uint64_t format : kind.image_formats) {
      if (at + kFormatBits > kBits) break;
      bits |= format << at;
      at += kFormatBits;
    }
    return bits;
  }
  static LaunchKind unpacked(uint64_t bits) {
    LaunchKind kind;
    const bool has_size = bits & kHasSize;
    bits &= ~(kUsed | kHasSize);
    const auto take = [&](unsigned count) {
      const uint64_t value = bits & ((uint64_t{1} << count) - 1);
      bits >>= count;
      return value;
    };
    if (has_size)
      for (size_t& size : kind.local_size) size = take(kSizeBits);
    for (uint8_t& format : kind.image_formats) format = static_cast<uint8_t>(take(kFormatBits));
    return kind;
  }

  bool take(uint64_t due) {
    return due != kNever && due_ns_.compare_exchange_strong(due, kNever, std::memory_order_relaxed);
  }

  std::atomic<uint64_t> kind_{0};  // 0: not used yet
  std::atomic<const SpecializedCode*> published_{nullptr};
  std::atomic<FormContest*> contest_{nullptr};
  std::atomic<uint64_t> due_ns_{kNever};  // compared with spent_ns_
  std::atomic<uint64_t> spent_ns_{0};
  std::atomic<bool> is_new_{false};
  std::unique_ptr<const SpecializedCode> code_;  // written once, before published_
  std::unique_ptr<FormContest> owned_contest_;   // the same
};

class LaunchKinds {
 public:
  // A program that tries sizes gets the first ones watched. It is unlikely that most of them are
  // used often.
  static constexpr int kWatched = 8, kSpecialized = 4;

  // What may be gained for a kind of launches.
  struct Hopes {
    bool by_size;      // launches of different local sizes are of different kinds
    bool by_format;    // the same of the formats of images
    bool specialized;  // code of its own
    bool forms;        // other forms of the code
  };

  // `first_due_ns`: when to serve a kind for the first time.
  LaunchKinds(Hopes hopes, uint64_t first_due_ns) : hopes_(hopes) {
    for (LaunchKindUse& use : uses_) use.due_ns_.store(first_due_ns, std::memory_order_relaxed);
  }

  const Hopes& hopes() const { return hopes_; }

  // Kinds, by their numbers, to serve before their first launch. Called before all launches.
  void expect(std::vector<uint64_t> kinds) { expected_ = std::move(kinds); }

  // Null if there have been too many others. Sizes are at most 2^15 - 1 in each dimension, which no
  // work-group exceeds.
  LaunchKindUse* find(const LaunchKind& kind) {
    const uint64_t wanted =
        hopes_.by_format ? LaunchKindUse::packed(kind) : LaunchKindUse::packed(kind.local_size);
    for (LaunchKindUse& use : uses_) {
      uint64_t seen = use.kind_.load(std::memory_order_relaxed);
      if (seen == wanted) return &use;
      if (seen != 0) continue;
      if (use.kind_.compare_exchange_strong(seen, wanted, std::memory_order_relaxed)) {
        if (is_expected(wanted)) use.set_due(0);
        return &use;
      }
      if (seen == wanted) return &use;
    }
    return nullptr;
  }

  // Takes one of the places for specialised code; false if all are taken.
  bool take_place() {
    if (places_.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
    give_place_back();
    return false;
  }
  void give_place_back() { places_.fetch_add(1, std::memory_order_relaxed); }

 private:
  bool is_expected(uint64_t kind) const {
    return std::find(expected_.begin(), expected_.end(), kind) != expected_.end();
  }

  std::array<LaunchKindUse, kWatched> uses_;
  std::vector<uint64_t> expected_;
  std::atomic<int> places_{kSpecialized};
  const Hopes hopes_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_LAUNCH_KINDS_H_
