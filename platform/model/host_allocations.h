// SPDX-License-Identifier: Apache-2.0
// Device memory that the host asks for without an OpenCL object (cl_ti_clmalloc). It is charged to
// the heaps like a buffer.
#ifndef CONCLAVE_PLATFORM_MODEL_HOST_ALLOCATIONS_H_
#define CONCLAVE_PLATFORM_MODEL_HOST_ALLOCATIONS_H_

#include <CL/cl.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "platform/model/memory.h"

namespace conclave {

class HostAllocations {
 public:
  // The allocations of this process.
  static HostAllocations& get();

  // `size` bytes of msmc_heap with CL_MEM_USE_MSMC_TI, else of global memory; null if `size` is 0.
  // Throws Error with the codes of HeapBlockOwner.
  void* allocate(cl_mem_flags flags, size_t size);
  // False if `memory` was not allocated here.
  bool free(void* memory);
  // Whether `address` is within any of them.
  bool contains(const void* address);

 private:
  struct Block {
    Block(cl_mem_flags flags, size_t size);
    ~Block();
    Block(const Block&) = delete;

    const size_t size;
    const HeapBlockOwner account;
    std::byte* const bytes;
  };

  std::mutex mutex_;
  std::map<const std::byte*, std::unique_ptr<Block>> blocks_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_HOST_ALLOCATIONS_H_
