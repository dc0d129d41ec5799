// SPDX-License-Identifier: Apache-2.0
// Which of the patterns of 256 bits differs in the fewest bits from each work-item's own.
__kernel void popcount_nearest(__global const ulong4* mine, __global const ulong4* patterns,
                               const int count, __global int* nearest) {
  const size_t i = get_global_id(0);
  const ulong4 own = mine[i];
  int best = 0, best_distance = 257;
  for (int k = 0; k < count; ++k) {
    const ulong4 bits = popcount(own ^ patterns[k]);
    const int distance = bits.x + bits.y + bits.z + bits.w;
    if (distance < best_distance) {
      best_distance = distance;
      best = k;
    }
  }
  nearest[i] = best;
}
