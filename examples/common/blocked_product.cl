// SPDX-License-Identifier: Apache-2.0
// C = alpha * A * B + beta * C for any sizes, storage orders and transpositions.
//
// The operands are first packed into panels, so that the innermost loop reads memory strictly one
// element after the other, and are padded with zeros there, so that it has no special cases. Then
// each work-item of multiply() computes one block of C, tile by tile; a tile's sums stay in
// registers.
//
// Build options give the element type and the shape of a tile:
//   REAL      float or double
//   WIDTH     elements in one vector register of the device
//   TILE_N    columns of a tile; a tile has two vectors of rows, so 2 * TILE_N sums
//   DEPTH     terms of the sums that are added up before C is touched: a panel of B of this depth
//             has to fit the first-level cache
//   PACK_PANELS   panels that one work-item packs

#ifdef REAL_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define VECTOR JOIN(REAL, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define TILE_M (2 * WIDTH)
// How many terms ahead of their use the packed operands are asked for.
#define AHEAD 32

// Copies PACK_PANELS panels of `width` lines and one depth block; global id = (which panels, depth
// block). Element (line, k) of the source lies at line * line_stride + k * depth_stride. The packed
// form has all panels of the first depth block, then all panels of the next one; within a panel the
// `width` elements of one k lie together.
void pack(__global const REAL* restrict source, ulong line_stride, ulong depth_stride, uint lines,
          uint depth, uint width, __global REAL* restrict packed) {
  const uint panels = (lines + width - 1) / width;
  const uint full_panels = lines / width;
  const uint first_panel = (uint)get_global_id(0) * PACK_PANELS;
  const uint end_panel = min(first_panel + PACK_PANELS, panels);
  const uint end_full = min(end_panel, full_panels);
  const uint first_k = (uint)get_global_id(1) * DEPTH;
  const uint block_depth = min((uint)DEPTH, depth - first_k);
  source += first_k * depth_stride;
  packed += (ulong)panels * width * first_k;

  if (line_stride == 1) {
    // All panels of one k together: what lies together in memory is read together.
    for (uint k = 0; k < block_depth; ++k)
      for (uint panel = first_panel; panel < end_full; ++panel)
        for (uint line = 0; line < width; ++line)
          packed[((ulong)panel * block_depth + k) * width + line] =
              source[(ulong)panel * width + line + k * depth_stride];
  } else {
    for (uint panel = first_panel; panel < end_full; ++panel) {
      __global const REAL* from = source + (ulong)panel * width * line_stride;
      __global REAL* to = packed + (ulong)panel * width * block_depth;
      // Eight steps of k at a time: that much of each line is read while its cache line is there.
      uint k = 0;
      for (; k + 8 <= block_depth; k += 8)
        for (uint line = 0; line < width; ++line)
          for (uint step = k; step < k + 8; ++step)
            to[step * width + line] = from[line * line_stride + step * depth_stride];
      for (; k < block_depth; ++k)
        for (uint line = 0; line < width; ++line)
          to[k * width + line] = from[line * line_stride + k * depth_stride];
    }
  }

  if (end_full < end_panel) {
    const ulong first_line = (ulong)end_full * width;
    for (uint k = 0; k < block_depth; ++k)
      for (uint line = 0; line < width; ++line)
        packed[first_line * block_depth + k * width + line] =
            first_line + line < lines ? source[(first_line + line) * line_stride + k * depth_stride]
                                      : (REAL)0;
  }
}

__kernel void pack_a(__global const REAL* restrict a, ulong row_stride, ulong depth_stride, uint m,
                     uint depth, __global REAL* restrict packed) {
  pack(a, row_stride, depth_stride, m, depth, TILE_M, packed);
}

__kernel void pack_b(__global const REAL* restrict b, ulong column_stride, ulong depth_stride,
                     uint n, uint depth, __global REAL* restrict packed) {
  pack(b, column_stride, depth_stride, n, depth, TILE_N, packed);
}

// One element of C; beta 0 must not read C, which may hold anything then, NaN included.
REAL updated(REAL sum, REAL alpha, REAL beta, __global const REAL* c) {
  return beta == (REAL)0 ? alpha * sum : alpha * sum + beta * *c;
}

// Adds up one tile over `depth` terms and brings `rows` x `columns` of it to c (column-major, ldc).
void multiply_tile(__global const REAL* restrict a, __global const REAL* restrict b, uint depth,
                   REAL alpha, REAL beta, __global REAL* restrict c, ulong ldc, uint rows,
                   uint columns) {
  VECTOR low[TILE_N];
  VECTOR high[TILE_N];
#pragma unroll
  for (uint j = 0; j < TILE_N; ++j) low[j] = high[j] = (VECTOR)(0);

  for (uint k = 0; k < depth; ++k) {
    const VECTOR a_low = LOAD(0, a);
    const VECTOR a_high = LOAD(1, a);
    prefetch(a + AHEAD * TILE_M, TILE_M);
    prefetch(b + AHEAD * TILE_N, TILE_N);
#pragma unroll
    for (uint j = 0; j < TILE_N; ++j) {
      low[j] += a_low * (VECTOR)(b[j]);
      high[j] += a_high * (VECTOR)(b[j]);
    }
    a += TILE_M;
    b += TILE_N;
  }

  if (rows == TILE_M && columns == TILE_N) {
#pragma unroll
    for (uint j = 0; j < TILE_N; ++j, c += ldc) {
      VECTOR c_low = low[j] * alpha;
      VECTOR c_high = high[j] * alpha;
      if (beta != (REAL)0) {
        c_low += LOAD(0, c) * beta;
        c_high += LOAD(1, c) * beta;
      }
      STORE(c_low, 0, c);
      STORE(c_high, 1, c);
    }
  } else {
    REAL sums[TILE_N * TILE_M];
#pragma unroll
    for (uint j = 0; j < TILE_N; ++j) {
      STORE(low[j], 2 * j, sums);
      STORE(high[j], 2 * j + 1, sums);
    }
    for (uint j = 0; j < columns; ++j)
      for (uint i = 0; i < rows; ++i)
        c[j * ldc + i] = updated(sums[j * TILE_M + i], alpha, beta, c + j * ldc + i);
  }
}

// C (m x n, column-major, ldc) from the packed operands; global id = block of C, which is block_m
// tiles high and block_n tiles wide. The panels of a block should fit the second-level cache.
__kernel void multiply(__global const REAL* restrict packed_a, __global const REAL* restrict packed_b,
                       uint m, uint n, uint depth, REAL alpha, REAL beta, __global REAL* restrict c,
                       ulong ldc, uint block_m, uint block_n) {
  const uint tiles_m = (m + TILE_M - 1) / TILE_M;
  const uint tiles_n = (n + TILE_N - 1) / TILE_N;
  const uint first_i = (uint)get_global_id(0) * block_m;
  const uint first_j = (uint)get_global_id(1) * block_n;
  const uint end_i = min(first_i + block_m, tiles_m);
  const uint end_j = min(first_j + block_n, tiles_n);

  for (uint first_k = 0; first_k < depth; first_k += DEPTH) {
    const uint block_depth = min((uint)DEPTH, depth - first_k);
    __global const REAL* a = packed_a + (ulong)tiles_m * TILE_M * first_k;
    __global const REAL* b = packed_b + (ulong)tiles_n * TILE_N * first_k;
    // C is scaled when the first terms are added, later terms come on top.
    const REAL scale = first_k == 0 ? beta : (REAL)1;
    for (uint j = first_j; j < end_j; ++j)
      for (uint i = first_i; i < end_i; ++i)
        multiply_tile(a + (ulong)i * TILE_M * block_depth, b + (ulong)j * TILE_N * block_depth,
                      block_depth, alpha, scale, c + (ulong)j * TILE_N * ldc + (ulong)i * TILE_M,
                      ldc, min((uint)TILE_M, m - i * TILE_M), min((uint)TILE_N, n - j * TILE_N));
  }
}
