// SPDX-License-Identifier: Apache-2.0
// Device memory that the host asks for and addresses without an OpenCL object: shared virtual memory,
// cl_intel_unified_shared_memory, cl_ti_clmalloc. It is charged to the heaps like a buffer.
#ifndef CONCLAVE_PLATFORM_MODEL_HOST_ALLOCATIONS_H_
#define CONCLAVE_PLATFORM_MODEL_HOST_ALLOCATIONS_H_

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "platform/base/object.h"
#include "platform/model/device.h"
#include "platform/model/memory.h"

namespace conclave {

// What an allocation is for, as its queries tell. All kinds are the same memory.
struct AllocationUse {
  // CL_MEM_TYPE_*_INTEL; CL_MEM_TYPE_UNKNOWN_INTEL for all but unified shared memory.
  cl_unified_shared_memory_type_intel type = CL_MEM_TYPE_UNKNOWN_INTEL;
  cl_mem_alloc_flags_intel flags = 0;
  Ref<Device> device;  // null: none in particular
};

struct HostAllocation {
  // As HostAllocations::allocate().
  HostAllocation(AllocationUse use, cl_mem_flags flags, size_t size, size_t alignment);
  ~HostAllocation();
  HostAllocation(const HostAllocation&) = delete;

  // Whether the `bytes` from `address` on lie in it.
  bool contains(const void* address, size_t bytes) const;

  const AllocationUse use;
  const size_t size;
  const HeapBlockOwner account;
  std::byte* const bytes;
};

class HostAllocations {
 public:
  // Those of this process that belong to no context (cl_ti_clmalloc).
  static HostAllocations& of_process();

  // `size` bytes of msmc_heap with CL_MEM_USE_MSMC_TI, else of global memory; null if `size` is 0.
  // `alignment`: a power of two; it is at least Device::kMemoryAlignment in any case. Throws Error
  // with the codes of HeapBlockOwner.
  void* allocate(AllocationUse use, cl_mem_flags flags, size_t size, size_t alignment = 1);
  // False if `memory` was not allocated here, or is not of `kind`.
  enum class Kind { kAny, kPlain, kUnified };
  bool free(void* memory, Kind kind = Kind::kAny);
  // The allocation that contains `address`; null if there is none.
  std::shared_ptr<const HostAllocation> find(const void* address);

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::shared_ptr<const HostAllocation>> allocations_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_HOST_ALLOCATIONS_H_
