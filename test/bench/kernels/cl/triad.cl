// SPDX-License-Identifier: Apache-2.0
__kernel void triad(__global const float* a, __global const float* b, __global float* c,
                    const float factor) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + factor * b[i];
}
