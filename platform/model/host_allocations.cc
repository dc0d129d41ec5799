// SPDX-License-Identifier: Apache-2.0
#include "platform/model/host_allocations.h"

#include <cstdlib>

namespace conclave {

HostAllocations::Block::Block(cl_mem_flags flags, size_t size)
    : size(size), account(flags, size), bytes(allocate_storage(size)) {}

HostAllocations::Block::~Block() {
  std::free(bytes);
}

HostAllocations& HostAllocations::get() {
  // Leaked on purpose: the host's static objects may free theirs late.
  static auto* allocations = new HostAllocations;
  return *allocations;
}

void* HostAllocations::allocate(cl_mem_flags flags, size_t size) {
  if (size == 0) return nullptr;
  auto block = std::make_unique<Block>(flags, size);
  std::byte* bytes = block->bytes;
  std::lock_guard lock(mutex_);
  blocks_[bytes] = std::move(block);
  return bytes;
}

bool HostAllocations::free(void* memory) {
  std::unique_lock lock(mutex_);
  auto block = blocks_.extract(static_cast<const std::byte*>(memory));
  lock.unlock();
  return !block.empty();
}

bool HostAllocations::contains(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(at);
  return block != blocks_.begin() && at < std::prev(block)->first + std::prev(block)->second->size;
}

}  // namespace conclave
