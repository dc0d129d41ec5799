// SPDX-License-Identifier: Apache-2.0
// cl_ti_clmalloc: device memory for the host. These functions have no error codes; the log says
// what is wrong.
#include <CL/cl_ext_conclave.h>

#include "icd/entry.h"
#include "platform/model/host_allocations.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

void* allocate(const char* function, cl_mem_flags flags, size_t size) {
  void* memory = nullptr;
  guarded(function, [&] { memory = HostAllocations::of_process().allocate({}, flags, size); });
  return memory;
}

void free(const char* function, void* memory) {
  guarded(function, [&] {
    require(!memory || HostAllocations::of_process().free(memory), CL_INVALID_VALUE,
            "the address is not that of memory from __malloc_ddr or __malloc_msmc");
  });
}

}  // namespace

extern "C" {

void* CL_API_CALL __malloc_ddr(size_t size) {
  return allocate(__func__, 0, size);
}

void* CL_API_CALL __malloc_msmc(size_t size) {
  return allocate(__func__, CL_MEM_USE_MSMC_TI, size);
}

void CL_API_CALL __free_ddr(void* memory) {
  free(__func__, memory);
}

void CL_API_CALL __free_msmc(void* memory) {
  free(__func__, memory);
}

cl_bool CL_API_CALL __is_in_malloced_region(void* address) {
  return HostAllocations::of_process().find(address) != nullptr;
}

}  // extern "C"
