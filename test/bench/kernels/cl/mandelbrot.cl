// SPDX-License-Identifier: Apache-2.0
__kernel void mandelbrot(__global int* iterations, const int width, const int height,
                         const int limit) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  const float cx = -2.0f + 3.0f * column / width;
  const float cy = -1.5f + 3.0f * row / height;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++n;
  }
  iterations[row * width + column] = n;
}
