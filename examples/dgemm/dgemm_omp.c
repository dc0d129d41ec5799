/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha * A * B + beta * C by all of OpenMP's threads.

   A and B are first packed into panels of tile_m rows and of tile_n columns, in blocks of depth, so
   that the innermost loop reads memory strictly one element after the other; panels are padded with
   zeros, so that it has no special cases. Then each thread has blocks of C, whose tiles' sums stay
   in registers. */
#include <stddef.h>

#if defined(__AVX512F__)
enum { kWidth = 8, kTileN = 12 };
#elif defined(__AVX__)
enum { kWidth = 4, kTileN = 6 };
#else
enum { kWidth = 2, kTileN = 6 };
#endif
enum {
  kTileM = 2 * kWidth,
  kDepth = 256,  /* terms that are added up before C is touched: panels of B fit the L1 cache */
  kAhead = 32,   /* how many terms ahead of their use the packed operands are asked for */
  kBlockM = 256 / kTileM,
  kBlockN = 240 / kTileN,
};

typedef double Vector __attribute__((vector_size(kWidth * sizeof(double)), aligned(8)));

static long smaller(long a, long b) { return a < b ? a : b; }
static long parts(long whole, long part) { return (whole + part - 1) / part; }

/* Panel `panel` of `width` lines, terms [first, first + depth): the lines of each term lie
   together. Element (line, k) of the source is at line * line_stride + k * depth_stride. */
static inline __attribute__((always_inline)) void pack_panel(
    const double* source, long line_stride, long depth_stride, long lines, long first, long depth,
    long panel, long width, double* packed) {
  const long rest = smaller(width, lines - panel * width);
  source += panel * width * line_stride + first * depth_stride;
  packed += panel * width * depth;
  for (long k = 0; k < depth; ++k, source += depth_stride, packed += width) {
    if (rest == width)
      for (long line = 0; line < width; ++line) packed[line] = source[line * line_stride];
    else
      for (long line = 0; line < width; ++line)
        packed[line] = line < rest ? source[line * line_stride] : 0;
  }
}

/* One element of C; beta 0 must not read C, which may hold anything then. */
static double updated(double sum, double alpha, double beta, const double* c) {
  return beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

static inline __attribute__((always_inline)) void prefetch_terms(const double* terms, int count) {
#pragma unroll
  for (int i = 0; i < count; i += 8) __builtin_prefetch(terms + i);
}

static void multiply_tile(const double* restrict a, const double* restrict b, long depth,
                          double alpha, double beta, double* restrict c, long ldc, long rows,
                          long columns) {
  Vector low[kTileN], high[kTileN];
#pragma unroll
  for (int j = 0; j < kTileN; ++j) {
    low[j] = high[j] = (Vector){0};
    if (j < columns) __builtin_prefetch(c + j * ldc, 1);
  }
  for (long k = 0; k < depth; ++k, a += kTileM, b += kTileN) {
    const Vector a_low = *(const Vector*)a, a_high = *(const Vector*)(a + kWidth);
    prefetch_terms(a + kAhead * kTileM, kTileM);
    prefetch_terms(b + kAhead * kTileN, kTileN);
#pragma unroll
    for (int j = 0; j < kTileN; ++j) {
      low[j] += a_low * b[j];
      high[j] += a_high * b[j];
    }
  }
  if (rows == kTileM && columns == kTileN) {
#pragma unroll
    for (int j = 0; j < kTileN; ++j, c += ldc) {
      Vector* to = (Vector*)c;
      Vector* to_high = (Vector*)(c + kWidth);
      if (beta == 0) {
        *to = low[j] * alpha;
        *to_high = high[j] * alpha;
      } else {
        *to = low[j] * alpha + *to * beta;
        *to_high = high[j] * alpha + *to_high * beta;
      }
    }
    return;
  }
  double sums[kTileN][kTileM];
#pragma unroll
  for (int j = 0; j < kTileN; ++j) {
    *(Vector*)sums[j] = low[j];
    *(Vector*)(sums[j] + kWidth) = high[j];
  }
  for (long j = 0; j < columns; ++j)
    for (long i = 0; i < rows; ++i)
      c[j * ldc + i] = updated(sums[j][i], alpha, beta, c + j * ldc + i);
}

/* C has m rows and n columns, one column behind the other. A is m lines of `depth` terms, B is n of
   them. The packed operands have room for m (n) rounded up to a multiple of 16, times depth. */
void dgemm_omp(const double* a, long a_line, long a_depth, const double* b, long b_line,
               long b_depth, long m, long n, long depth, double alpha, double beta, double* c,
               double* packed_a, double* packed_b) {
  const long tiles_m = parts(m, kTileM), tiles_n = parts(n, kTileN);
#pragma omp parallel
  for (long first = 0; first < depth; first += kDepth) {
    const long terms = smaller(kDepth, depth - first);
#pragma omp for nowait
    for (long panel = 0; panel < tiles_m; ++panel)
      pack_panel(a, a_line, a_depth, m, first, terms, panel, kTileM, packed_a);
#pragma omp for
    for (long panel = 0; panel < tiles_n; ++panel)
      pack_panel(b, b_line, b_depth, n, first, terms, panel, kTileN, packed_b);
    /* C is scaled when the first terms are added, later terms come on top. */
    const double scale = first == 0 ? beta : 1;
#pragma omp for collapse(2) schedule(dynamic)
    for (long block_n = 0; block_n < tiles_n; block_n += kBlockN)
      for (long block_m = 0; block_m < tiles_m; block_m += kBlockM)
        for (long j = block_n; j < smaller(block_n + kBlockN, tiles_n); ++j)
          for (long i = block_m; i < smaller(block_m + kBlockM, tiles_m); ++i)
            multiply_tile(packed_a + i * kTileM * terms, packed_b + j * kTileN * terms, terms,
                          alpha, scale, c + j * kTileN * m + i * kTileM, m,
                          smaller(kTileM, m - i * kTileM), smaller(kTileN, n - j * kTileN));
  }
}
