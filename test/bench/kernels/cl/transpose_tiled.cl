// SPDX-License-Identifier: Apache-2.0
#define TILE 16

__kernel void transpose_tiled(__global const float* in, __global float* out, const int width,
                              const int height) {
  __local float tile[TILE][TILE + 1];
  const int x = get_local_id(0), y = get_local_id(1);
  const int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
  tile[y][x] = in[(row + y) * width + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(column + y) * height + row + x] = tile[x][y];
}
