// SPDX-License-Identifier: Apache-2.0
__kernel void polynomial(__global const float* x, __global float* y,
                         __constant float* coefficients, const int degree) {
  const size_t i = get_global_id(0);
  const float value = x[i];
  float sum = coefficients[degree];
  for (int k = degree - 1; k >= 0; --k) sum = sum * value + coefficients[k];
  y[i] = sum;
}
