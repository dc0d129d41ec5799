// SPDX-License-Identifier: Apache-2.0
// The Fourier transforms of rows of 512 complex numbers, one by each work-group, which goes from
// one half of its local memory to the other (Stockham). roots[k] is exp(-2 pi i k / POINTS).
#define POINTS 512

float2 times(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__kernel void fft(__global const float2* in, __global float2* out, __constant float2* roots) {
  __local float2 rows[2][POINTS];
  const int id = get_local_id(0);
  const int first = get_group_id(0) * POINTS;
  rows[0][id] = in[first + id];
  rows[0][id + POINTS / 2] = in[first + id + POINTS / 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  int current = 0;
  for (int width = 1; width < POINTS; width *= 2) {
    const int k = id % width;
    const float2 a = rows[current][id];
    const float2 b = times(rows[current][id + POINTS / 2], roots[k * (POINTS / 2 / width)]);
    const int place = 2 * (id - k) + k;
    current = 1 - current;
    rows[current][place] = a + b;
    rows[current][place + width] = a - b;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[first + id] = rows[current][id];
  out[first + id + POINTS / 2] = rows[current][id + POINTS / 2];
}
