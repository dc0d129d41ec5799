// SPDX-License-Identifier: Apache-2.0
// Each row of `in` (columns + 4 numbers) is convolved with a filter of five numbers to a row of `out`
// (columns numbers, a multiple of 4). The kernels differ in how a compute unit is told to do that.

float filtered(__global const float* in, __constant const float* filter) {
  return in[0] * filter[0] + in[1] * filter[1] + in[2] * filter[2] + in[3] * filter[3] +
         in[4] * filter[4];
}

// One work-item for each number.
__kernel void k_baseline(__global const float* in, __global float* out,
                         __constant const float* filter, int columns) {
  const int row = get_global_id(1), column = get_global_id(0);
  out[row * columns + column] = filtered(in + row * (columns + 4) + column, filter);
}

// One work-item for each row.
__kernel void k_loop(__global const float* in, __global float* out, __constant const float* filter,
                     int columns) {
  const int row = get_global_id(0);
  for (int column = 0; column < columns; ++column)
    out[row * columns + column] = filtered(in + row * (columns + 4) + column, filter);
}

// The same, four numbers at once.
__kernel void k_loop_simd(__global const float* in, __global float* out,
                          __constant const float* filter, int columns) {
  const int row = get_global_id(0);
  in += row * (columns + 4);
  out += row * columns;
  for (int column = 0; column < columns; column += 4) {
    float4 sum = 0;
    for (int k = 0; k < 5; ++k) sum += vload4(0, in + column + k) * filter[k];
    vstore4(sum, 0, out + column);
  }
}

// One row in local memory: number by number, four at once, and in C (filter_row.c).
void filter_row(const __local float* in, __local float* out, __constant const float* filter,
                int columns) {
  for (int column = 0; column < columns; ++column) {
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += in[column + k] * filter[k];
    out[column] = sum;
  }
}
void filter_row_simd(const __local float* in, __local float* out, __constant const float* filter,
                     int columns) {
  for (int column = 0; column < columns; column += 4) {
    float4 sum = 0;
    for (int k = 0; k < 5; ++k) sum += vload4(0, in + column + k) * filter[k];
    vstore4(sum, 0, out + column);
  }
}
void filter_row_c(const __local float* in, __local float* out, __constant const float* filter,
                  int columns);

// A work-group of one work-item has `rows` rows. While one row is worked on in local memory, the next
// one is brought there, and the one before is brought back. `local_in` and `local_out` have room for
// two rows.
#define DOUBLE_BUFFERED(NAME, FILTER_ROW)                                                         \
  __kernel void NAME(__global const float* in, __global float* out,                               \
                     __constant const float* filter, int columns, int rows,                       \
                     __local float* local_in, __local float* local_out) {                         \
    const int first = get_group_id(0) * rows, width = columns + 4;                                \
    event_t coming[2], going[2];                                                                  \
    coming[0] = async_work_group_copy(local_in, in + first * width, width, 0);                    \
    for (int i = 0; i < rows; ++i) {                                                              \
      const int now = i & 1, next = now ^ 1;                                                      \
      if (i + 1 < rows)                                                                           \
        coming[next] = async_work_group_copy(local_in + next * width,                             \
                                             in + (first + i + 1) * width, width, 0);             \
      wait_group_events(1, &coming[now]);                                                         \
      if (i >= 2) wait_group_events(1, &going[now]);                                              \
      FILTER_ROW(local_in + now * width, local_out + now * columns, filter, columns);             \
      going[now] = async_work_group_copy(out + (first + i) * columns,                             \
                                         local_out + now * columns, columns, 0);                  \
    }                                                                                             \
    wait_group_events(rows > 1 ? 2 : 1, going);                                                   \
  }
DOUBLE_BUFFERED(k_loop_db, filter_row)
DOUBLE_BUFFERED(k_loop_simd_db, filter_row_simd)
DOUBLE_BUFFERED(k_loop_simd_db_extc, filter_row_c)
