// SPDX-License-Identifier: Apache-2.0
// One step of the heat equation. Rows and columns lie one after the other with a border of one cell
// all around, which is not written: zeros, or the neighbour's cells.
__kernel void heat_step(__global const float* restrict from, __global float* restrict to, float rate) {
  const size_t row_cells = get_global_size(0) + 2;
  const size_t i = (get_global_id(1) + 1) * row_cells + get_global_id(0) + 1;
  const float around = (from[i - 1] + from[i + 1]) + (from[i - row_cells] + from[i + row_cells]);
  to[i] = from[i] + rate * (around - 4 * from[i]);
}
