// SPDX-License-Identifier: Apache-2.0
// Vectors as wide as the registers, in the form that GCC and Clang have in common. Comparisons give
// -1 and 0, and a vector of those chooses with ?:.
#ifndef CONCLAVE_TEST_BENCH_KERNELS_LIMITS_PACK_H_
#define CONCLAVE_TEST_BENCH_KERNELS_LIMITS_PACK_H_

#ifdef __AVX__
#include <immintrin.h>
#endif

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace bench::limits {

#ifdef __AVX512F__
inline constexpr size_t kBytes = 64;
#else
inline constexpr size_t kBytes = 32;
#endif
inline constexpr size_t kLanes = kBytes / 4;      // of 32-bit elements
inline constexpr size_t kLongLanes = kBytes / 8;  // of 64-bit elements

using Floats = float __attribute__((vector_size(kBytes)));
using Ints = int32_t __attribute__((vector_size(kBytes)));
using Uints = uint32_t __attribute__((vector_size(kBytes)));
using Longs = int64_t __attribute__((vector_size(kBytes)));
using Ulongs = uint64_t __attribute__((vector_size(kBytes)));

template <class Pack, class T>
Pack load(const T* from) {
  Pack pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}

template <class Pack, class T>
void store(T* to, Pack pack) {
  std::memcpy(to, &pack, sizeof pack);
}

// Past the caches; `to` must lie on a multiple of a pack's size.
inline void stream(float* to, Floats pack) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, reinterpret_cast<__m512>(pack));
#elif defined(__AVX__)
  _mm256_stream_ps(to, reinterpret_cast<__m256>(pack));
#else
  store(to, pack);
#endif
}

// Eight, whatever the registers hold: for work in squares of 8 x 8.
using Eight = float __attribute__((vector_size(32)));

#ifdef __AVX512F__
inline void stream(float* to, Eight pack) {
  _mm256_stream_ps(to, reinterpret_cast<__m256>(pack));
}
#endif

inline void transpose(Eight (&r)[8]) {
  Eight pairs[8], fours[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    const int from = i / 4 * 4 + i % 4 / 2;
    fours[i] = __builtin_shufflevector(pairs[from], pairs[from + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    fours[i + 1] =
        __builtin_shufflevector(pairs[from], pairs[from + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    r[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// 0, 1, 2 ...
template <class Pack>
Pack lane_numbers() {
  Pack pack;
  for (size_t lane = 0; lane < sizeof(Pack) / sizeof(pack[0]); ++lane)
    pack[lane] = static_cast<std::remove_reference_t<decltype(pack[0])>>(lane);
  return pack;
}

inline Floats to_floats(Ints pack) {
  return __builtin_convertvector(pack, Floats);
}

// Whether a comparison holds in any lane.
template <class Mask>
bool any(Mask mask) {
#if defined(__AVX512F__)
  const auto bits = reinterpret_cast<__m512i>(mask);
  return _mm512_test_epi32_mask(bits, bits) != 0;
#elif defined(__AVX__)
  return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
#else
  for (size_t lane = 0; lane < sizeof(Mask) / sizeof(mask[0]); ++lane)
    if (mask[lane]) return true;
  return false;
#endif
}

inline float total(Floats pack) {
  float sum = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) sum += pack[lane];
  return sum;
}

// 1 / sqrt: an estimate, and one step of Newton's method.
inline Floats rsqrt(Floats x) {
#if defined(__AVX512F__)
  // The masked form: GCC 12 warns of an uninitialized value inside the plain one.
  const auto y =
      reinterpret_cast<Floats>(_mm512_maskz_rsqrt14_ps(0xffff, reinterpret_cast<__m512>(x)));
#elif defined(__AVX__)
  const auto y = reinterpret_cast<Floats>(_mm256_rsqrt_ps(reinterpret_cast<__m256>(x)));
#else
  Floats y;
  for (size_t lane = 0; lane < kLanes; ++lane) y[lane] = 1 / std::sqrt(x[lane]);
#endif
  return y * (1.5f - 0.5f * x * y * y);
}

}  // namespace bench::limits

#endif  // CONCLAVE_TEST_BENCH_KERNELS_LIMITS_PACK_H_
