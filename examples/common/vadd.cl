// SPDX-License-Identifier: Apache-2.0
__kernel void VectorAdd(__global const short4* a, __global const short4* b, __global short4* sum) {
  const size_t i = get_global_id(0);
  sum[i] = a[i] + b[i];
}
