// SPDX-License-Identifier: Apache-2.0
// Gaussian random numbers from a counter: each work-item makes two, whatever the others do.

// Mixes the bits of a number so that neighbours have nothing in common.
ulong mixed(ulong x) {
  x += 0x9e3779b97f4a7c15UL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
  return x ^ (x >> 31);
}

__kernel void gaussian(__global float2* out, ulong seed) {
  const size_t i = get_global_id(0);
  const ulong bits = mixed(seed + i);
  // Box and Muller: a point that is uniform in the unit square becomes two numbers.
  const float u = ((uint)bits + 1.0f) * 0x1p-32f;
  const float v = (uint)(bits >> 32) * 0x1p-32f;
  const float radius = sqrt(-2 * log(fmin(u, 1.0f)));
  out[i] = radius * (float2)(cospi(2 * v), sinpi(2 * v));
}

// How many numbers of each work-item's part are negative and positive, and the sum of the squares.
__kernel void classify(__global const float* numbers, int part, __global uint* negative,
                       __global uint* positive, __global double* squares) {
  const size_t item = get_global_id(0), items = get_global_size(0);
  uint below = 0, above = 0;
  double sum = 0;
  for (int i = 0; i < part; ++i) {
    const float x = numbers[i * items + item];
    below += x < 0;
    above += x > 0;
    sum += (double)x * x;
  }
  negative[item] = below;
  positive[item] = above;
  squares[item] = sum;
}
