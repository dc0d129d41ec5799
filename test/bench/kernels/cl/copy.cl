// SPDX-License-Identifier: Apache-2.0
__kernel void copy(__global const float* in, __global float* out) {
  const size_t i = get_global_id(0);
  out[i] = in[i];
}
