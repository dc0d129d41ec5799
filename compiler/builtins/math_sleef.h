// SPDX-License-Identifier: Apache-2.0
// The functions of libsleef that the math builtins call; they stay undefined in the library, and
// kernels are linked with them (extract_functions.py). u10 = at most 1.0 ULP off.
#ifndef CONCLAVE_BUILTINS_MATH_SLEEF_H_
#define CONCLAVE_BUILTINS_MATH_SLEEF_H_

#define UNARY(name, ulp) double Sleef_##name##_##ulp(double x) __attribute__((const));
#define BINARY(name, ulp) double Sleef_##name##_##ulp(double x, double y) __attribute__((const));
UNARY(acos, u10)
UNARY(acosh, u10)
UNARY(asin, u10)
UNARY(asinh, u10)
UNARY(atanh, u10)
UNARY(cosh, u10)
UNARY(cos, u10)
UNARY(cospi, u05)
UNARY(erfc, u15)
UNARY(lgamma, u10)
UNARY(sin, u10)
UNARY(sinh, u10)
UNARY(sinpi, u05)
UNARY(tan, u10)
UNARY(tanh, u10)
UNARY(tgamma, u10)
BINARY(hypot, u05)
float Sleef_lgammaf_u10(float x) __attribute__((const));
float Sleef_tgammaf_u10(float x) __attribute__((const));
#undef UNARY
#undef BINARY

#endif  // CONCLAVE_BUILTINS_MATH_SLEEF_H_
