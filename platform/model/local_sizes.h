// SPDX-License-Identifier: Apache-2.0
// The local sizes that a kernel is launched with, and its code for those that are used often.
#ifndef CONCLAVE_PLATFORM_MODEL_LOCAL_SIZES_H_
#define CONCLAVE_PLATFORM_MODEL_LOCAL_SIZES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "conclave/kernel_abi.h"
#include "platform/loader/program_image.h"

namespace conclave {

// A kernel's code for work-groups of exactly one size.
struct SpecializedCode {
  std::shared_ptr<const LoadedCode> code;  // owns function
  abi::GroupFunction function;
  size_t spill_bytes;  // of a work-item
};

// One local size of a kernel: how long its launches have taken together, and code for work-groups
// of exactly this size, once there is some. Launches look and count without a lock; what gets lost
// in counting does no harm.
class LocalSizeUse {
 public:
  // Never due: the code is there, is being made, or cannot be made.
  static constexpr uint64_t kNever = UINT64_MAX;

  // Null: there is none. May become set at any time, once.
  const SpecializedCode* code() const { return published_.load(std::memory_order_acquire); }

  // Whether the size is to be seen to before its first launch. True for one caller only.
  bool take_due() { return due_ns_.load(std::memory_order_relaxed) == 0 && take(0); }
  // A launch took so long. Whether it is time to see to this size; true for one caller only.
  bool add(uint64_t ns) {
    const uint64_t spent = spent_ns() + ns;
    spent_ns_.store(spent, std::memory_order_relaxed);
    const uint64_t due = due_ns_.load(std::memory_order_relaxed);
    return spent >= due && take(due);
  }
  uint64_t spent_ns() const { return spent_ns_.load(std::memory_order_relaxed); }
  std::array<size_t, 3> size() const { return unpacked(size_.load(std::memory_order_relaxed)); }

  // For the caller who was told that it is time: when it will be again, or the code.
  void set_due(uint64_t spent_ns) { due_ns_.store(spent_ns, std::memory_order_relaxed); }
  void publish(SpecializedCode code) {
    code_ = std::make_unique<const SpecializedCode>(std::move(code));
    published_.store(code_.get(), std::memory_order_release);
  }

 private:
  friend class LocalSizes;

  // 21 bits for each dimension; never 0.
  static constexpr unsigned kBits = 21;
  static uint64_t packed(const std::array<size_t, 3>& size) {
    return size[0] | size[1] << kBits | size[2] << (2 * kBits);
  }
  static std::array<size_t, 3> unpacked(uint64_t packed) {
    constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
    return {packed & kMask, packed >> kBits & kMask, packed >> (2 * kBits)};
  }

  bool take(uint64_t due) {
    return due != kNever && due_ns_.compare_exchange_strong(due, kNever, std::memory_order_relaxed);
  }

  std::atomic<uint64_t> size_{0};  // 0: not used yet
  std::atomic<const SpecializedCode*> published_{nullptr};
  std::atomic<uint64_t> due_ns_{kNever};  // compared with spent_ns_
  std::atomic<uint64_t> spent_ns_{0};
  std::unique_ptr<const SpecializedCode> code_;  // written once, before published_
};

class LocalSizes {
 public:
  // A program that tries sizes gets to know the first ones; that most of them are used often is not
  // likely.
  static constexpr int kWatched = 8, kSpecialized = 4;

  // `first_due_ns`: when to see to a size for the first time.
  explicit LocalSizes(uint64_t first_due_ns) {
    for (LocalSizeUse& use : uses_) use.due_ns_.store(first_due_ns, std::memory_order_relaxed);
  }

  // Null where there have been too many others. At most 2^21 - 1 in each dimension, which
  // work-groups are far from.
  LocalSizeUse* find(const std::array<size_t, 3>& size) {
    const uint64_t wanted = LocalSizeUse::packed(size);
    for (LocalSizeUse& use : uses_) {
      uint64_t seen = use.size_.load(std::memory_order_relaxed);
      if (seen == wanted) return &use;
      if (seen != 0) continue;
      if (use.size_.compare_exchange_strong(seen, wanted, std::memory_order_relaxed) ||
          seen == wanted)
        return &use;
    }
    return nullptr;
  }

  // Takes one of the places for specialised code; false where all are taken.
  bool take_place() {
    if (places_.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
    give_place_back();
    return false;
  }
  void give_place_back() { places_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::array<LocalSizeUse, kWatched> uses_;
  std::atomic<int> places_{kSpecialized};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_LOCAL_SIZES_H_
