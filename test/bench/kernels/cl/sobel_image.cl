// SPDX-License-Identifier: Apache-2.0
// Beyond its edges the picture goes on as it is at the edge.
__constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void sobel_image(__read_only image2d_t in, __write_only image2d_t out) {
  const int x = get_global_id(0), y = get_global_id(1);
#define AT(dx, dy) read_imagef(in, edge, (int2)(x + dx, y + dy)).x
  const float horizontal = AT(1, -1) + 2 * AT(1, 0) + AT(1, 1) - AT(-1, -1) - 2 * AT(-1, 0) - AT(-1, 1);
  const float vertical = AT(-1, 1) + 2 * AT(0, 1) + AT(1, 1) - AT(-1, -1) - 2 * AT(0, -1) - AT(1, -1);
  const float magnitude = sqrt(horizontal * horizontal + vertical * vertical);
  write_imagef(out, (int2)(x, y), (float4)(magnitude, 0, 0, 1));
}
