// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.1, the work-item functions that tell about sub-groups; 6.15.8, sub_group_barrier.
#include "sub_group.h"

HELPER uint items(void) {
  return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}

OVERLOAD uint get_sub_group_id(void) { return of_first((uint)get_local_linear_id()) / lanes(); }
OVERLOAD uint get_sub_group_local_id(void) { return lane(); }
OVERLOAD uint get_num_sub_groups(void) { return (items() + lanes() - 1) / lanes(); }

// The last one of a work-group may be smaller.
OVERLOAD uint get_sub_group_size(void) {
  return min(lanes(), items() - get_sub_group_id() * lanes());
}

OVERLOAD uint get_max_sub_group_size(void) {
  return largest_size(get_enqueued_local_size(0),
                      get_enqueued_local_size(1) * get_enqueued_local_size(2));
}

OVERLOAD uint get_enqueued_num_sub_groups(void) {
  ulong rows = get_enqueued_local_size(1) * get_enqueued_local_size(2);
  uint size = largest_size(get_enqueued_local_size(0), rows);
  return ((uint)(get_enqueued_local_size(0) * rows) + size - 1) / size;
}

// Lanes run in step; only memory accesses have to stay on their side.
OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags) {
  atomic_work_item_fence(flags, memory_order_acq_rel, memory_scope_sub_group);
}
OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  atomic_work_item_fence(flags, memory_order_acq_rel, scope);
}
