// SPDX-License-Identifier: Apache-2.0
#include "platform/check/shadow_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "conclave/check_abi.h"

namespace conclave::check {
namespace {

// How much released memory is kept from reuse.
constexpr size_t kMostReleasedBytes = 256u << 20;
constexpr size_t kMostReleased = 4096;

}  // namespace

ZeroedMemory::ZeroedMemory(size_t size) : size_(std::max<size_t>(size, 1)) {
  data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
               -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

ZeroedMemory::~ZeroedMemory() {
  munmap(data_, size_);
}

void ZeroedMemory::clear() {
  madvise(data_, size_, MADV_DONTNEED);
}

// Accesses of explicit vectors may reach a little further than the object.
Tags::Tags(size_t size, uint64_t granule)
    : granule(granule),
      writers((size / granule + 16) * sizeof(uint64_t)),
      readers((size / granule + 16) * sizeof(uint64_t)) {}

Allocation::Allocation(uint64_t base, size_t size, bool is_written) : base_(base), size_(size) {
  if (!is_written) written_ = std::make_unique<ZeroedMemory>(size);
}

// Written bytes stay written, so each launch continues where the last one stopped.
uint64_t Allocation::written_shadow() {
  if (!written_) return 0;
  const auto* shadow = reinterpret_cast<const unsigned char*>(written_->address());
  size_t known = known_written_.load(std::memory_order_relaxed);
  for (uint64_t word = 0; known + sizeof word <= size_; known += sizeof word) {
    std::memcpy(&word, shadow + known, sizeof word);
    if (word != UINT64_MAX) break;
  }
  while (known < size_ && shadow[known] == 0xff) ++known;
  known_written_.store(known, std::memory_order_relaxed);
  return known == size_ ? 0 : written_->address();
}

void Allocation::mark_written(uint64_t address, size_t bytes) {
  if (!written_ || !has(address)) return;
  const uint64_t offset = address - base_;
  std::memset(reinterpret_cast<void*>(written_->address() + offset), 0xff,
              std::min<size_t>(bytes, size_ - offset));
}

std::shared_ptr<Tags> Allocation::tags(uint64_t granule) {
  std::lock_guard lock(mutex_);
  if (!tags_ || tags_->granule != granule) tags_ = std::make_shared<Tags>(size_, granule);
  return tags_;
}

std::atomic<bool> ShadowMemory::is_on_{false};

ShadowMemory& ShadowMemory::get() {
  static auto* memory = new ShadowMemory;
  return *memory;
}

std::shared_ptr<Allocation> ShadowMemory::add(uint64_t base, size_t size, bool is_written) {
  auto allocation = std::make_shared<Allocation>(base, size, is_written);
  std::lock_guard lock(mutex_);
  // Memory that is used again has been released by its owner.
  std::erase_if(released_, [&](const Released& old) {
    return !old.storage && old.base < base + size && base < old.base + old.size;
  });
  auto [place, is_new] = live_.try_emplace(base, allocation);
  // A host may make several objects from the same memory.
  if (!is_new && place->second->size() < size) place->second = allocation;
  return place->second;
}

void ShadowMemory::remove(uint64_t base, void* storage) {
  std::lock_guard lock(mutex_);
  const auto found = live_.find(base);
  if (found == live_.end()) return std::free(storage);
  const size_t size = found->second->size();
  live_.erase(found);
  released_.push_back({base, size, storage});
  released_bytes_ += storage ? size : 0;
  release_old();
}

void ShadowMemory::release_old() {
  while (released_.size() > kMostReleased || released_bytes_ > kMostReleasedBytes) {
    const Released old = released_.front();
    released_.pop_front();
    if (old.storage) released_bytes_ -= old.size;
    std::free(old.storage);
  }
}

std::shared_ptr<Allocation> ShadowMemory::find(uint64_t address) {
  std::shared_lock lock(mutex_);
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  const auto& allocation = std::prev(after)->second;
  return allocation->has(address) ? allocation : nullptr;
}

size_t ShadowMemory::find_released(uint64_t address, uint64_t& base) {
  std::shared_lock lock(mutex_);
  for (const Released& old : released_) {
    if (address - old.base >= old.size) continue;
    base = old.base;
    return old.size;
  }
  return 0;
}

void ShadowMemory::mark_written(const void* begin, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  if (auto allocation = find(address)) allocation->mark_written(address, bytes);
}

}  // namespace conclave::check
