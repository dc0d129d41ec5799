// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions that are SLEEF's or a step away from them. The vector forms go
// element by element.
#include "math_error_table.h"
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
#define UNARY_OF_DOUBLE(name, ulp) \
  OVERLOAD float name(float x);    \
  UNARY_OF(double, name, Sleef_##name##_##ulp)
#define BINARY_OF_DOUBLE(name, ulp)     \
  OVERLOAD float name(float x, float y); \
  BINARY_OF(double, name, Sleef_##name##_##ulp)

// SLEEF's form loses all digits where it calculates with numbers that are too small: below `least`.
// From there the argument goes up by STEPS, without rounding, and the result is divided by as many
// factors.
#define GAMMA(T, function, least, STEPS)                          \
  OVERLOAD T tgamma(T x) {                                        \
    T factors = x;                                                \
    for (int i = 1; i < STEPS; ++i) factors *= x + i;             \
    T gamma = function(x < least ? x + STEPS : x);                \
    return x < least ? gamma / factors : gamma;                   \
  }                                                               \
  FOR_VECTORS(MAP1, T, tgamma, T)
GAMMA(float, Sleef_tgammaf_u10, -32, 10)
GAMMA(double, Sleef_tgamma_u10, -168, 16)

// For float they have their own: math_*.inc.
UNARY_OF_DOUBLE(acos, u10)
UNARY_OF_DOUBLE(asin, u10)
UNARY_OF_DOUBLE(atanh, u10)
UNARY_OF_DOUBLE(erfc, u15)
UNARY_OF_DOUBLE(tanh, u10)
BINARY_OF_DOUBLE(hypot, u05)

// SLEEF's forms of these overflow before the result does. LARGE is a number from which the simpler
// formula is exact enough.
#define LARGE 0x1p100
#define LARGE_EXPONENT 700
OVERLOAD double acosh(double x) {
  return x > LARGE ? log(x) + M_LN2 : Sleef_acosh_u10(x);
}
OVERLOAD double asinh(double x) {
  double magnitude = fabs(x);
  return magnitude > LARGE ? copysign(log(magnitude) + M_LN2, x) : Sleef_asinh_u10(x);
}
OVERLOAD double cosh(double x) {
  double root = exp(fabs(x) * 0.5);
  return fabs(x) > LARGE_EXPONENT ? 0.5 * root * root : Sleef_cosh_u10(x);
}
OVERLOAD double sinh(double x) {
  double root = exp(fabs(x) * 0.5);
  return fabs(x) > LARGE_EXPONENT ? copysign(0.5 * root * root, x) : Sleef_sinh_u10(x);
}
FOR_VECTORS(MAP1, double, acosh, double)
FOR_VECTORS(MAP1, double, asinh, double)
FOR_VECTORS(MAP1, double, cosh, double)
FOR_VECTORS(MAP1, double, sinh, double)
OVERLOAD float lgamma(float x) {
  return x > 0x1p60f ? x * (log(x) - 1) : Sleef_lgammaf_u10(x);
}
OVERLOAD double lgamma(double x) {
  return x > LARGE ? x * (log(x) - 1) : Sleef_lgamma_u10(x);
}
FOR_VECTORS(MAP1, float, lgamma, float)
FOR_VECTORS(MAP1, double, lgamma, double)

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
HELPER double within_a_turn(double x) {
  return x - 2 * rint(x * 0.5);
}
OVERLOAD double sinpi(double x) {
  double result = Sleef_sinpi_u05(within_a_turn(x));
  return result == 0 ? copysign(0.0, x) : result;
}
OVERLOAD double cospi(double x) {
  double part = fabs(within_a_turn(x));
  return part == 0.5 ? 0 : Sleef_cospi_u05(part);
}
OVERLOAD double tanpi(double x) {
  double whole = rint(x), part = x - whole;
  bool odd = whole * 0.5 != rint(whole * 0.5);
  double zero = copysign(0.0, odd ? -x : x);
  double lower = floor(x), pole = lower * 0.5 != floor(lower * 0.5) ? -INFINITY : INFINITY;
  double result = Sleef_sinpi_u05(part) / Sleef_cospi_u05(part);
  return part == 0 ? zero : fabs(part) == 0.5 ? pole : result;
}
OVERLOAD double acospi(double x) { return acos(x) * M_1_PI; }
OVERLOAD double asinpi(double x) { return asin(x) * M_1_PI; }
OVERLOAD double atanpi(double x) { return atan(x) * M_1_PI; }
OVERLOAD double atan2pi(double y, double x) { return atan2(y, x) * M_1_PI; }
FOR_VECTORS(MAP1, double, sinpi, double)
FOR_VECTORS(MAP1, double, cospi, double)
FOR_VECTORS(MAP1, double, tanpi, double)
FOR_VECTORS(MAP1, double, acospi, double)
FOR_VECTORS(MAP1, double, asinpi, double)
FOR_VECTORS(MAP1, double, atanpi, double)
FOR_VECTORS(MAP2, double, atan2pi, double, double)
