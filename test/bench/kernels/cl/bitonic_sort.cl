// SPDX-License-Identifier: Apache-2.0
// Sorts every 512 keys on their own; a work-item compares two of them in each step.
#define KEYS 512

__kernel void bitonic_sort(__global const uint* in, __global uint* out) {
  __local uint keys[KEYS];
  const int id = get_local_id(0);
  const int first = get_group_id(0) * KEYS;
  keys[id] = in[first + id];
  keys[id + KEYS / 2] = in[first + id + KEYS / 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int size = 2; size <= KEYS; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int low = 2 * stride * (id / stride) + id % stride;
      const int high = low + stride;
      const bool ascending = (low & size) == 0;
      const uint a = keys[low], b = keys[high];
      if ((a > b) == ascending) {
        keys[low] = b;
        keys[high] = a;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  out[first + id] = keys[id];
  out[first + id + KEYS / 2] = keys[id + KEYS / 2];
}
