// SPDX-License-Identifier: Apache-2.0
// Work-items that follow each other in dimension 1, not 0, have neighbouring elements.
__kernel void matrix_add(__global const float* a, __global const float* b, __global float* c,
                         const int columns) {
  const int row = get_global_id(0);
  const int column = get_global_id(1);
  c[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}
