// SPDX-License-Identifier: Apache-2.0
// The sums of each work-group's elements up to each of them (Hillis and Steele).
#define GROUP 256

__kernel void scan(__global const int* in, __global int* out) {
  __local int buffers[2][GROUP];
  const int i = get_local_id(0);
  int current = 0;
  buffers[0][i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < GROUP; distance *= 2) {
    int sum = buffers[current][i];
    if (i >= distance) sum += buffers[current][i - distance];
    current = 1 - current;
    buffers[current][i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = buffers[current][i];
}
