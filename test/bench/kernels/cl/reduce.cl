// SPDX-License-Identifier: Apache-2.0
__kernel void reduce(__global const float* in, __global float* sums, __local float* scratch) {
  const int local_id = get_local_id(0);
  scratch[local_id] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (local_id < s) scratch[local_id] += scratch[local_id + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (local_id == 0) sums[get_group_id(0)] = scratch[0];
}
