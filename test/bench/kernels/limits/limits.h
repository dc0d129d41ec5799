// SPDX-License-Identifier: Apache-2.0
// The suite's kernels by hand: what a C++ programmer gets out of the same cores for the same work.
// Each one says beside its definition where it could be faster still. They know nothing of OpenCL,
// and their folder is compiled for the machine it is compiled on.
#ifndef CONCLAVE_TEST_BENCH_KERNELS_LIMITS_LIMITS_H_
#define CONCLAVE_TEST_BENCH_KERNELS_LIMITS_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace bench::limits {

// streaming.cc
void copy(const float* in, float* out, size_t count);
void triad(const float* a, const float* b, float* c, float factor, size_t count);
void saxpy(float a, const float* x, float* y, size_t count);
void add(const float* a, const float* b, float* c, size_t count);
void transpose(const float* in, float* out, size_t width, size_t height);
struct Particle {
  float position[4], velocity[4];
};
void particles(Particle* particles, float step, size_t count);

// compute.cc
void multiply_add(float* out, float factor, int iterations, size_t count);
struct Body {
  float x, y, z, mass;
};
void nbody(const Body* bodies, Body* accelerations, size_t count, float softening);
void black_scholes(const float* prices, const float* strikes, const float* years, float* calls,
                   float* puts, float interest, float volatility, size_t count);
void polynomial(const float* x, float* y, const float* coefficients, int degree, size_t count);
void sin_exp(float* out, float step, int iterations, size_t count);

// divergent.cc
void mandelbrot(int32_t* iterations, int width, int height, int limit);
void collatz(int32_t* steps, size_t count);
struct Sphere {
  float x, y, z, radius;
};
void ray_march(float* image, int width, int height, const Sphere* spheres, int count);
void binary_search(const int32_t* table, int table_size, const int32_t* keys, int32_t* places,
                   size_t count);
void spmv(const int32_t* row_starts, const int32_t* columns, const float* values, const float* x,
          float* y, size_t rows);

// barriers.cc: the group sizes are those of the kernels
inline constexpr size_t kReduceGroup = 256, kScanGroup = 256, kSortKeys = 512, kFftPoints = 512;
void reduce(const float* in, float* sums, size_t count);
void scan(const int32_t* in, int32_t* out, size_t count);
void bitonic_sort(const uint32_t* in, uint32_t* out, size_t count);
void histogram(const uint8_t* data, uint32_t* totals, size_t count);
struct Complex {
  float re, im;
};
void fft(const Complex* in, Complex* out, const Complex* roots, size_t rows);

// stencils.cc
void stencil_5point(const float* in, float* out, size_t width, size_t height);
void stencil_7point(const float* in, float* out, float centre, float side, size_t width,
                    size_t height, size_t depth);
void sobel(const uint8_t* in, uint8_t* out, size_t width, size_t height);
void sobel_to_edge(const uint8_t* in, uint8_t* out, size_t width, size_t height);
void gaussian(const float* in, float* out, int width, int height);

// integers.cc
void sha256(const uint32_t* blocks, uint32_t* hashes, size_t count);
struct AesTables {
  uint32_t t[4][256];
  uint8_t box[256];
};
void aes(const uint32_t* plain, uint32_t* cipher, const uint32_t* round_keys,
         const AesTables& tables, size_t blocks);
void xorshift(const uint32_t* seeds, float* means, int numbers, size_t count);
void popcount_nearest(const uint64_t* mine, const uint64_t* patterns, int pattern_count,
                      int32_t* nearest, size_t count);

}  // namespace bench::limits

#endif  // CONCLAVE_TEST_BENCH_KERNELS_LIMITS_LIMITS_H_
