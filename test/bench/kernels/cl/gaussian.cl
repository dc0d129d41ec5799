// SPDX-License-Identifier: Apache-2.0
__constant float weights[5][5] = {{1, 4, 6, 4, 1},
                                  {4, 16, 24, 16, 4},
                                  {6, 24, 36, 24, 6},
                                  {4, 16, 24, 16, 4},
                                  {1, 4, 6, 4, 1}};

// Beyond its edges the picture goes on as it is at the edge.
__kernel void gaussian(__global const float* in, __global float* out, const int width,
                       const int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0.0f;
  for (int dy = -2; dy <= 2; ++dy) {
    const int row = clamp(y + dy, 0, height - 1);
    for (int dx = -2; dx <= 2; ++dx) {
      const int column = clamp(x + dx, 0, width - 1);
      sum += weights[dy + 2][dx + 2] * in[row * width + column];
    }
  }
  out[y * width + x] = sum / 256.0f;
}
