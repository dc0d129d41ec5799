// SPDX-License-Identifier: Apache-2.0
__constant float weights[5][5] = {{1, 4, 6, 4, 1},
                                  {4, 16, 24, 16, 4},
                                  {6, 24, 36, 24, 6},
                                  {4, 16, 24, 16, 4},
                                  {1, 4, 6, 4, 1}};

// Beyond its edges the picture goes on as it is at the edge.
__constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void gaussian_image(__read_only image2d_t in, __write_only image2d_t out) {
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0.0f;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx)
      sum += weights[dy + 2][dx + 2] * read_imagef(in, edge, (int2)(x + dx, y + dy)).x;
  write_imagef(out, (int2)(x, y), (float4)(sum / 256.0f, 0, 0, 1));
}
