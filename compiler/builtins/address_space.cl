// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.10, address space qualifier functions: which memory a generic pointer leads to. There
// is one address space only when the kernel runs; the runtime tells where in it local and private
// memory lie (abi::AddressRanges).
#include "instantiate.h"

typedef struct {
  ulong local_begin, local_end, spill_begin, spill_end, stack_end;
} AddressRanges;

const __private AddressRanges* address_ranges(void) __asm("conclave.address_ranges");
// Below it the thread that runs the work-group has nothing on its stack.
ulong stack_begin(void) __asm("conclave.stack_begin");

HELPER bool is_within(const __generic void* pointer, ulong begin, ulong end) {
  return (ulong)pointer - begin < end - begin;
}
HELPER bool is_local(const __generic void* pointer) {
  return is_within(pointer, address_ranges()->local_begin, address_ranges()->local_end);
}
HELPER bool is_private(const __generic void* pointer) {
  const __private AddressRanges* ranges = address_ranges();
  return is_within(pointer, stack_begin(), ranges->stack_end) ||
         is_within(pointer, ranges->spill_begin, ranges->spill_end);
}
HELPER bool is_global(const __generic void* pointer) {
  return !is_local(pointer) && !is_private(pointer);
}

// Clang calls these functions for to_global(), to_local() and to_private().
#define CONVERSION(NAME, SPACE, IS_IT)                                                  \
  SPACE void* to_##NAME##_space(__generic void* pointer) __asm("__to_" #NAME);          \
  SPACE void* to_##NAME##_space(__generic void* pointer) {                              \
    return IS_IT(pointer) ? (SPACE void*)pointer : 0;                                   \
  }
CONVERSION(global, __global, is_global)
CONVERSION(local, __local, is_local)
CONVERSION(private, __private, is_private)

OVERLOAD cl_mem_fence_flags get_fence(const __generic void* pointer) {
  return is_local(pointer) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
OVERLOAD cl_mem_fence_flags get_fence(__generic void* pointer) {
  return get_fence((const __generic void*)pointer);
}
