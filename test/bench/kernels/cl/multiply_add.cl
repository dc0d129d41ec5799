// SPDX-License-Identifier: Apache-2.0
__kernel void multiply_add(__global float* out, const float factor, const int iterations) {
  const size_t i = get_global_id(0);
  float a = i * 1e-6f, b = a + 0.25f, c = a + 0.5f, d = a + 0.75f;
  for (int k = 0; k < iterations; ++k) {
    a = fma(a, factor, 0.125f);
    b = fma(b, factor, 0.25f);
    c = fma(c, factor, 0.375f);
    d = fma(d, factor, 0.5f);
  }
  out[i] = a + b + c + d;
}
