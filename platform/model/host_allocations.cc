// SPDX-License-Identifier: Apache-2.0
#include "platform/model/host_allocations.h"

#include <cstdlib>

#include "platform/check/shadow_memory.h"

namespace conclave {

HostAllocation::HostAllocation(AllocationUse use_for, cl_mem_flags flags, size_t size,
                               size_t alignment)
    : use(std::move(use_for)),
      size(size),
      account(flags, size),
      bytes(allocate_storage(size, alignment)) {
  // The host may write to it at any time.
  if (check::ShadowMemory::is_on())
    check::ShadowMemory::get().add(reinterpret_cast<uint64_t>(bytes), size, /*is_written=*/true);
}

HostAllocation::~HostAllocation() {
  if (check::ShadowMemory::is_on())
    check::ShadowMemory::get().remove(reinterpret_cast<uint64_t>(bytes), bytes);
  else
    std::free(bytes);
}

bool HostAllocation::contains(const void* address, size_t wanted) const {
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(address) - bytes);
  return offset <= size && wanted <= size - offset;
}

HostAllocations& HostAllocations::of_process() {
  // Leaked on purpose: the host's static objects may free theirs late.
  static auto* allocations = new HostAllocations;
  return *allocations;
}

void* HostAllocations::allocate(AllocationUse use, cl_mem_flags flags, size_t size,
                                size_t alignment) {
  if (size == 0) return nullptr;
  auto made = std::make_shared<const HostAllocation>(std::move(use), flags, size, alignment);
  std::byte* bytes = made->bytes;
  std::lock_guard lock(mutex_);
  allocations_[bytes] = std::move(made);
  return bytes;
}

bool HostAllocations::free(void* memory, Kind kind) {
  std::unique_lock lock(mutex_);
  const auto found = allocations_.find(static_cast<const std::byte*>(memory));
  if (found == allocations_.end()) return false;
  const bool is_unified = found->second->use.type != CL_MEM_TYPE_UNKNOWN_INTEL;
  if (kind != Kind::kAny && is_unified != (kind == Kind::kUnified)) return false;
  const auto allocation = allocations_.extract(found);
  lock.unlock();  // giving memory back takes long
  return true;
}

std::shared_ptr<const HostAllocation> HostAllocations::find(const void* address) {
  std::lock_guard lock(mutex_);
  auto after = allocations_.upper_bound(static_cast<const std::byte*>(address));
  if (after == allocations_.begin()) return nullptr;
  const auto& allocation = std::prev(after)->second;
  return allocation->contains(address, 1) ? allocation : nullptr;
}

}  // namespace conclave
