// SPDX-License-Identifier: Apache-2.0
__kernel void transpose_naive(__global const float* in, __global float* out, const int width,
                              const int height) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  out[x * height + y] = in[y * width + x];
}
