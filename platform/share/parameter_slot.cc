// SPDX-License-Identifier: Apache-2.0
#include "platform/share/parameter_slot.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "platform/base/align.h"

namespace conclave::share {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

}  // namespace

Atomic<uint64_t>* ParameterSlot::value(uint64_t version) const {
  auto* first = reinterpret_cast<std::byte*>(&parameter_ + 1);
  return reinterpret_cast<Atomic<uint64_t>*>(first + (version & 1) * align_up(bytes_, size_t{64}));
}

void ParameterSlot::begin() {
  version_ = used_ = parameter_.version.load(std::memory_order_acquire);
}

void ParameterSlot::write(const void* from) {
  const uint64_t next = version_ + 1;
  Atomic<uint64_t>* words = value(next);
  // Stored with release, so that a reader of one of these words also finds the version that the
  // former write counted.
  for (size_t at = 0; at < bytes_; at += kWord) {
    uint64_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(from) + at, std::min(kWord, bytes_ - at));
    words[at / kWord].store(word, std::memory_order_release);
  }
  parameter_.version.store(next, std::memory_order_release);
  version_ = next;
}

bool ParameterSlot::read(void* to, int tries) const {
  for (; tries > 0; --tries) {
    const uint64_t seen = parameter_.version.load(std::memory_order_acquire);
    const Atomic<uint64_t>* words = value(seen);
    for (size_t at = 0; at < bytes_; at += kWord) {
      const uint64_t word = words[at / kWord].load(std::memory_order_acquire);
      std::memcpy(static_cast<std::byte*>(to) + at, &word, std::min(kWord, bytes_ - at));
    }
    if (parameter_.version.load(std::memory_order_relaxed) == seen) return true;
  }
  return false;
}

}  // namespace conclave::share
