// SPDX-License-Identifier: Apache-2.0
#include "sleef_loops.h"

#include <immintrin.h>
#include <sleef.h>

#include <stdexcept>

namespace bench::limits {
namespace {

#if defined(__AVX512F__)
using Floats = __m512;
using Doubles = __m512d;
#define SLEEF(NAME, ACCURACY) \
  Sleef_##NAME##f16_##ACCURACY##avx512f, Sleef_##NAME##d8_##ACCURACY##avx512f
#elif defined(__AVX2__)
using Floats = __m256;
using Doubles = __m256d;
#define SLEEF(NAME, ACCURACY) Sleef_##NAME##f8_##ACCURACY##avx2, Sleef_##NAME##d4_##ACCURACY##avx2
#else
using Floats = __m128;
using Doubles = __m128d;
#define SLEEF(NAME, ACCURACY) Sleef_##NAME##f4_##ACCURACY##sse2, Sleef_##NAME##d2_##ACCURACY##sse2
#endif

template <class T>
struct PackOf;
template <>
struct PackOf<float> {
  using Type = Floats;
};
template <>
struct PackOf<double> {
  using Type = Doubles;
};

// `x[i]` for as many elements as a pack has.
template <class T>
typename PackOf<T>::Type load(const T* x) {
  typename PackOf<T>::Type pack;
  __builtin_memcpy(&pack, x, sizeof pack);
  return pack;
}

template <class T, auto kFunction>
void loop1(const T* x, const T*, T* out, size_t count) {
  for (size_t i = 0; i < count; i += sizeof(load(x)) / sizeof(T)) {
    const auto result = kFunction(load(x + i));
    __builtin_memcpy(out + i, &result, sizeof result);
  }
}
template <class T, auto kFunction>
void loop2(const T* x, const T* y, T* out, size_t count) {
  for (size_t i = 0; i < count; i += sizeof(load(x)) / sizeof(T)) {
    const auto result = kFunction(load(x + i), load(y + i));
    __builtin_memcpy(out + i, &result, sizeof result);
  }
}

struct Loops {
  const char* name;
  Loop<float> single_precision;
  Loop<double> double_precision;
};
template <auto kFloats, auto kDoubles>
constexpr Loops one_argument(const char* name) {
  return {name, loop1<float, kFloats>, loop1<double, kDoubles>};
}
template <auto kFloats, auto kDoubles>
constexpr Loops two_arguments(const char* name) {
  return {name, loop2<float, kFloats>, loop2<double, kDoubles>};
}

constexpr Loops kLoops[] = {
    one_argument<SLEEF(sin, u10)>("sin"),          one_argument<SLEEF(cos, u10)>("cos"),
    one_argument<SLEEF(tan, u10)>("tan"),          one_argument<SLEEF(exp, u10)>("exp"),
    one_argument<SLEEF(log, u10)>("log"),          one_argument<SLEEF(erf, u10)>("erf"),
    one_argument<SLEEF(cbrt, u10)>("cbrt"),        two_arguments<SLEEF(pow, u10)>("pow"),
    two_arguments<SLEEF(atan2, u10)>("atan2"),     one_argument<SLEEF(sin, u35)>("native_sin"),
    one_argument<SLEEF(cos, u35)>("native_cos"),   one_argument<SLEEF(tan, u35)>("native_tan"),
    one_argument<SLEEF(exp, u10)>("native_exp"),   one_argument<SLEEF(log, u35)>("native_log"),
    one_argument<SLEEF(sqrt, u35)>("native_sqrt"), two_arguments<SLEEF(pow, u10)>("native_powr"),
};

const Loops& loops_of(const std::string& function) {
  for (const Loops& loops : kLoops)
    if (function == loops.name) return loops;
  throw std::invalid_argument("SLEEF has no " + function);
}

}  // namespace

template <>
Loop<float> sleef_loop(const std::string& function) {
  return loops_of(function).single_precision;
}
template <>
Loop<double> sleef_loop(const std::string& function) {
  return loops_of(function).double_precision;
}

}  // namespace bench::limits
