// SPDX-License-Identifier: Apache-2.0
__kernel void sin_exp(__global float* out, const float step, const int iterations) {
  const int i = get_global_id(0);
  float x = i * 1e-6f;
  float sum = 0.0f;
  for (int k = 0; k < iterations; ++k) {
    sum += sin(x) * exp(-x) + sqrt(x);
    x += step;
  }
  out[i] = sum;
}
