// SPDX-License-Identifier: Apache-2.0
// The colour of a point of the Mandelbrot set's picture. This text is OpenCL C as well as C++.

// Sixteen colours in a ring, red in the lowest byte.
uint mandelbrot_colour(double mu) {
  const uint ring[16] = {0x0f1e42, 0x1a0719, 0x2f0109, 0x490404, 0x640700, 0x8a2c0c,
                         0xb15218, 0xd17d39, 0xe5b586, 0xf8ecd3, 0xbfe9f1, 0x5fc9f8,
                         0x00aaff, 0x0080cc, 0x005799, 0x03346a};
  mu /= 6;
  const int i = (int)mu;
  const double part = mu - i;
  uint colour = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const double from = ring[i % 16] >> shift & 255, to = ring[(i + 1) % 16] >> shift & 255;
    colour |= (uint)(from + part * (to - from)) << shift;
  }
  return colour;
}

// z -> z * z + c until it is far away.
uint mandelbrot_pixel(double cx, double cy, int most) {
  double x = cx, y = cy;
  int i = 0;
  for (; x * x + y * y < 4 && i < most; ++i) {
    const double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  return i == most ? 0 : mandelbrot_colour(i);
}
