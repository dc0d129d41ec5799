// SPDX-License-Identifier: Apache-2.0
__kernel void compute(__global const float* m, __global const float* x, float c,
                      __global float* y) {
  const size_t i = get_global_id(0);
  y[i] = m[i] * x[i] + c;
}
