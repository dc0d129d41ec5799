// SPDX-License-Identifier: Apache-2.0
__kernel void sobel(__global const uchar* in, __global uchar* out, const int width,
                    const int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  __global const uchar* above = in + (y - 1) * width + x;
  __global const uchar* here = above + width;
  __global const uchar* below = here + width;
  const int horizontal =
      above[1] + 2 * here[1] + below[1] - above[-1] - 2 * here[-1] - below[-1];
  const int vertical =
      below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
  const float magnitude = sqrt((float)(horizontal * horizontal + vertical * vertical));
  out[y * width + x] = convert_uchar_sat(magnitude);
}
