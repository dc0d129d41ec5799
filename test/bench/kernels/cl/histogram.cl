// SPDX-License-Identifier: Apache-2.0
#define BINS 256
#define PER_ITEM 64

// A work-group counts in its local memory and then adds what it has counted to the totals.
__kernel void histogram(__global const uchar* data, __global uint* totals) {
  __local uint bins[BINS];
  const int id = get_local_id(0), size = get_local_size(0);
  for (int bin = id; bin < BINS; bin += size) bins[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int first = get_group_id(0) * size * PER_ITEM;
  for (int k = 0; k < PER_ITEM; ++k) atomic_inc(&bins[data[first + k * size + id]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int bin = id; bin < BINS; bin += size) atomic_add(&totals[bin], bins[bin]);
}
