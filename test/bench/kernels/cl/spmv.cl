// SPDX-License-Identifier: Apache-2.0
// A sparse matrix (compressed rows) times a vector, a row for each work-item.
__kernel void spmv(__global const int* row_starts, __global const int* columns,
                   __global const float* values, __global const float* x, __global float* y,
                   const int rows) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = row_starts[row]; k < row_starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
  y[row] = sum;
}
