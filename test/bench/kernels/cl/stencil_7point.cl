// SPDX-License-Identifier: Apache-2.0
__kernel void stencil_7point(__global const float* in, __global float* out, const float centre,
                             const float side) {
  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const int width = get_global_size(0), height = get_global_size(1), depth = get_global_size(2);
  const int i = (z * height + y) * width + x;
  const int plane = width * height;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1)
    out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] +
                                      in[i - plane] + in[i + plane]);
}
