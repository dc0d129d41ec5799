// SPDX-License-Identifier: Apache-2.0
// Marsaglia's generator, one for each work-item: the mean of `count` numbers from 0 to 1.
__kernel void xorshift(__global const uint* seeds, __global float* means, const int count) {
  const size_t i = get_global_id(0);
  uint state = seeds[i];
  float sum = 0.0f;
  for (int k = 0; k < count; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    sum += (state >> 8) * (1.0f / 16777216.0f);
  }
  means[i] = sum / count;
}
