// SPDX-License-Identifier: Apache-2.0
__kernel void product_naive(__global const float* a, __global const float* b, __global float* c,
                            const int n) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
