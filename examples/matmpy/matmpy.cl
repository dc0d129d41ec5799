// SPDX-License-Identifier: Apache-2.0
// Each work-group makes one row of C: it copies the row of A to local memory while nobody needs it
// yet, and each of its work-items adds up columns of C.
__kernel void matmpy(__global const float* a, __global const float* b, __global float* c, int terms,
                     int columns, __local float* row) {
  const size_t i = get_global_id(1);
  event_t copied = async_work_group_copy(row, a + i * terms, terms, 0);
  wait_group_events(1, &copied);
  for (int j = get_local_id(0); j < columns; j += get_local_size(0)) {
    float sum = 0;
    for (int k = 0; k < terms; ++k) sum += row[k] * b[k * columns + j];
    c[i * columns + j] = sum;
  }
}
