// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions that are SLEEF's or a step away from them. The vector forms go
// element by element.
#include "math_sleef.h"

#define BODY "math_elementary_double.inc"
#include "for_widths.h"

#define UNARY_OF(T, name, function)                    \
  OVERLOAD T name(T x) { return function(x); }         \
  FOR_VECTORS(MAP1, T, name, T)
#define BINARY_OF(T, name, function)                   \
  OVERLOAD T name(T x, T y) { return function(x, y); } \
  FOR_VECTORS(MAP2, T, name, T, T)
#define UNARY(name, ulp)                          \
  UNARY_OF(float, name, Sleef_##name##f_##ulp)    \
  UNARY_OF(double, name, Sleef_##name##_##ulp)
#define BINARY(name, ulp)                         \
  BINARY_OF(float, name, Sleef_##name##f_##ulp)   \
  BINARY_OF(double, name, Sleef_##name##_##ulp)
UNARY(acos, u10)
UNARY(asin, u10)
UNARY_OF(float, atan, Sleef_atanf_u10)
UNARY(atanh, u10)
UNARY_OF(float, cbrt, Sleef_cbrtf_u10)
UNARY_OF(float, erf, Sleef_erff_u10)
UNARY(erfc, u15)
UNARY(tanh, u10)
UNARY(tgamma, u10)
BINARY_OF(float, atan2, Sleef_atan2f_u10)
BINARY(hypot, u05)
BINARY_OF(float, pow, Sleef_powf_u10)

// SLEEF's forms of these overflow before the result does. LARGE is a number from which the simpler
// formula is exact enough.
#define NEAR_OVERFLOW(T, LARGE, LARGE_EXPONENT, FN)                                               \
  OVERLOAD T acosh(T x) {                                                                         \
    return x > (T)LARGE ? log(x) + (T)M_LN2 : FN(acosh, u10)(x);                                  \
  }                                                                                               \
  OVERLOAD T asinh(T x) {                                                                         \
    T magnitude = fabs(x);                                                                        \
    return magnitude > (T)LARGE ? copysign(log(magnitude) + (T)M_LN2, x) : FN(asinh, u10)(x);     \
  }                                                                                               \
  OVERLOAD T lgamma(T x) {                                                                        \
    return x > (T)LARGE ? x * (log(x) - 1) : FN(lgamma, u10)(x);                                  \
  }                                                                                               \
  OVERLOAD T cosh(T x) {                                                                          \
    T root = exp(fabs(x) * (T)0.5);                                                               \
    return fabs(x) > (T)LARGE_EXPONENT ? (T)0.5 * root * root : FN(cosh, u10)(x);                 \
  }                                                                                               \
  OVERLOAD T sinh(T x) {                                                                          \
    T root = exp(fabs(x) * (T)0.5);                                                               \
    return fabs(x) > (T)LARGE_EXPONENT ? copysign((T)0.5 * root * root, x) : FN(sinh, u10)(x);    \
  }                                                                                               \
  FOR_VECTORS(MAP1, T, acosh, T)                                                                  \
  FOR_VECTORS(MAP1, T, asinh, T)                                                                  \
  FOR_VECTORS(MAP1, T, cosh, T)                                                                   \
  FOR_VECTORS(MAP1, T, lgamma, T)                                                                 \
  FOR_VECTORS(MAP1, T, sinh, T)
#define FLOAT_FORM(name, ulp) Sleef_##name##f_##ulp
#define DOUBLE_FORM(name, ulp) Sleef_##name##_##ulp
NEAR_OVERFLOW(float, 0x1p60f, 80, FLOAT_FORM)
NEAR_OVERFLOW(double, 0x1p100, 700, DOUBLE_FORM)

// Results through a pointer: NAME(T x, AS R* p), computed by a helper that knows private memory only.
#define POINTER_FORM(AS, NAME, HELPER_NAME, T, R)               \
  OVERLOAD T NAME(T x, AS R* p) {                               \
    R second;                                                   \
    T first = HELPER_NAME(x, &second);                          \
    *p = second;                                                \
    return first;                                               \
  }
#define POINTER_FORM_VECTOR(AS, N, NAME, HELPER_NAME, T, R)     \
  OVERLOAD T##N NAME(T##N x, AS R##N* p) {                      \
    T##N first;                                                 \
    R##N second;                                                \
    for (int i = 0; i < N; ++i) {                               \
      R element;                                                \
      first[i] = HELPER_NAME(x[i], &element);                   \
      second[i] = element;                                      \
    }                                                           \
    *p = second;                                                \
    return first;                                               \
  }
#define POINTER_VECTORS(N, ...) FOR_WRITABLE_SPACES(POINTER_FORM_VECTOR, N, __VA_ARGS__)
#define POINTER_FORMS(NAME, HELPER_NAME, T, R)                  \
  FOR_WRITABLE_SPACES(POINTER_FORM, NAME, HELPER_NAME, T, R)    \
  FOR_VECTORS(POINTER_VECTORS, NAME, HELPER_NAME, T, R)

// The gamma function is negative between -1 and 0, -3 and -2, and so on.
#define LOG_GAMMA(T)                                                      \
  HELPER T log_gamma(T x, __private int* sign) {                          \
    T whole = floor(x);                                                   \
    bool pole = (x <= 0 && whole == x) || !isfinite(x);                   \
    bool odd = whole * (T)0.5 != floor(whole * (T)0.5);                   \
    *sign = pole ? (x > 0 ? 1 : 0) : x < 0 && odd ? -1 : 1;               \
    return lgamma(x);                                                     \
  }
LOG_GAMMA(float)
LOG_GAMMA(double)
POINTER_FORMS(lgamma_r, log_gamma, float, int)
POINTER_FORMS(lgamma_r, log_gamma, double, int)

// Functions of half-turns. Whole turns are taken off exactly first.
#define PI_FUNCTIONS(T, PI_INVERSE, SINPI, COSPI)                                      \
  HELPER T within_a_turn(T x) { return x - 2 * rint(x * (T)0.5); }                     \
  OVERLOAD T sinpi(T x) {                                                              \
    T result = SINPI(within_a_turn(x));                                                \
    return result == 0 ? copysign((T)0, x) : result;                                   \
  }                                                                                    \
  OVERLOAD T cospi(T x) {                                                              \
    T part = fabs(within_a_turn(x));                                                   \
    return part == (T)0.5 ? (T)0 : COSPI(part);                                        \
  }                                                                                    \
  OVERLOAD T tanpi(T x) {                                                              \
    T whole = rint(x), part = x - whole;                                               \
    bool odd = whole * (T)0.5 != rint(whole * (T)0.5);                                 \
    T zero = copysign((T)0, odd ? -x : x);                                             \
    T lower = floor(x), pole = lower * (T)0.5 != floor(lower * (T)0.5) ? -INFINITY : INFINITY; \
    return part == 0 ? zero : fabs(part) == (T)0.5 ? pole : SINPI(part) / COSPI(part); \
  }                                                                                    \
  OVERLOAD T acospi(T x) { return acos(x) * PI_INVERSE; }                              \
  OVERLOAD T asinpi(T x) { return asin(x) * PI_INVERSE; }                              \
  OVERLOAD T atanpi(T x) { return atan(x) * PI_INVERSE; }                              \
  OVERLOAD T atan2pi(T y, T x) { return atan2(y, x) * PI_INVERSE; }                    \
  FOR_VECTORS(MAP1, T, sinpi, T)                                                       \
  FOR_VECTORS(MAP1, T, cospi, T)                                                       \
  FOR_VECTORS(MAP1, T, tanpi, T)                                                       \
  FOR_VECTORS(MAP1, T, acospi, T)                                                      \
  FOR_VECTORS(MAP1, T, asinpi, T)                                                      \
  FOR_VECTORS(MAP1, T, atanpi, T)                                                      \
  FOR_VECTORS(MAP2, T, atan2pi, T, T)
PI_FUNCTIONS(float, M_1_PI_F, Sleef_sinpif_u05, Sleef_cospif_u05)
PI_FUNCTIONS(double, M_1_PI, Sleef_sinpi_u05, Sleef_cospi_u05)
