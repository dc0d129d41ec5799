// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/kernel_heap.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "platform/base/align.h"

namespace conclave {

void KernelHeap::init(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  begin_ = align_up(address, kAlignment);
  end_ = std::max(begin_, (address + bytes) / kAlignment * kAlignment);
  used_.clear();
  free_.clear();
  if (end_ > begin_) free_[begin_] = end_ - begin_;
}

void KernelHeap::forget(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (end_ <= address || begin_ >= address + bytes) return;
  begin_ = end_ = 0;
  used_.clear();
  free_.clear();
}

uint64_t KernelHeap::allocate(uint64_t bytes, uint64_t alignment) {
  std::lock_guard lock(mutex_);
  return take(bytes, alignment);
}

uint64_t KernelHeap::take(uint64_t bytes, uint64_t alignment) {
  if (!std::has_single_bit(alignment) || bytes > end_ - begin_) return 0;
  alignment = std::max(alignment, kAlignment);
  bytes = align_up(std::max<uint64_t>(bytes, 1), kAlignment);
  for (auto [address, size] : free_) {
    const uint64_t block = align_up(address, alignment), end = address + size;
    if (block < address || block > end || end - block < bytes) continue;
    free_.erase(address);
    if (block > address) free_[address] = block - address;
    if (end > block + bytes) free_[block + bytes] = end - block - bytes;
    used_[block] = bytes;
    return block;
  }
  return 0;
}

uint64_t KernelHeap::reallocate(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (!address) return take(bytes, kAlignment);
  const auto block = used_.find(address);
  if (block == used_.end()) return 0;
  if (bytes == 0) {
    give_back(block);
    return 0;
  }
  if (bytes <= block->second) return address;
  const uint64_t larger = take(bytes, kAlignment);
  if (!larger) return 0;
  std::memcpy(reinterpret_cast<void*>(larger), reinterpret_cast<const void*>(address),
              block->second);
  give_back(block);
  return larger;
}

void KernelHeap::free(uint64_t address) {
  std::lock_guard lock(mutex_);
  if (const auto block = used_.find(address); block != used_.end()) give_back(block);
}

void KernelHeap::give_back(Blocks::iterator block) {
  auto freed = free_.insert(*block).first;
  used_.erase(block);
  if (const auto next = std::next(freed);
      next != free_.end() && freed->first + freed->second == next->first) {
    freed->second += next->second;
    free_.erase(next);
  }
  if (freed == free_.begin()) return;
  if (const auto before = std::prev(freed); before->first + before->second == freed->first) {
    before->second += freed->second;
    free_.erase(freed);
  }
}

}  // namespace conclave
