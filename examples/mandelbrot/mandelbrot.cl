// SPDX-License-Identifier: Apache-2.0
// Follows the text of mandelbrot_pixel.h. The host checks pixels, and has no fused operations.
__kernel void mandelbrot(__global uint* pixels, int side, double corner_x, double corner_y,
                         double step, int most_iterations) {
  const int column = get_global_id(0), row = get_global_id(1);
  pixels[row * side + column] =
      mandelbrot_pixel(corner_x + column * step, corner_y + row * step, most_iterations);
}
