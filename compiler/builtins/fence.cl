// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.9 and 6.15.12, fences; 6.15.11, prefetch.
#include "instantiate.h"

// Local memory is used by one thread only, so for it the compiler alone must keep the order.
HELPER void fence(cl_mem_fence_flags flags) {
  if (flags & CLK_GLOBAL_MEM_FENCE)
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
  else
    __atomic_signal_fence(__ATOMIC_ACQ_REL);
}

OVERLOAD void mem_fence(cl_mem_fence_flags flags) { fence(flags); }
OVERLOAD void read_mem_fence(cl_mem_fence_flags flags) { fence(flags); }
OVERLOAD void write_mem_fence(cl_mem_fence_flags flags) { fence(flags); }

OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order,
                                     memory_scope scope) {
  if (order == memory_order_relaxed) return;
  if (order == memory_order_seq_cst && (flags & CLK_GLOBAL_MEM_FENCE))
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  else
    fence(flags);
}

// The lines of memory that a prefetch asks for, at most: hardware sees the pattern of what follows.
#define LINE 64
#define MOST_LINES 4

#define PREFETCH(N, T)                                                        \
  OVERLOAD void prefetch(const __global T##N* p, size_t count) {              \
    size_t bytes = min(count * sizeof(T##N), (size_t)(MOST_LINES * LINE));    \
    for (size_t line = 0; line < bytes; line += LINE)                         \
      __builtin_prefetch((const __global char*)p + line);                     \
  }
#define ALL(T) FOR_WIDTHS(PREFETCH, T)
FOR_TYPES(ALL)
