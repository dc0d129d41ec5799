// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: powers and roots of double with integer exponents, powr. Those of
// float are in math_power.inc.
#include "math_sleef.h"
#include "instantiate.h"

OVERLOAD double pown(double x, int n) {
  return pow(x, (double)n);
}

// Undefined where x < 0, and at the points where pow() is defined by convention only.
OVERLOAD double powr(double x, double y) {
  bool undefined = x < 0 || isnan(x) || isnan(y) || (x == 0 && y == 0) || (isinf(x) && y == 0) ||
                   (x == 1 && isinf(y));
  return undefined ? NAN : pow(fabs(x), y);
}

// The n-th root of a positive number: the part of the binary exponent that n divides is taken out, so
// that the rounding error of 1/n is not multiplied by the logarithm of x.
HELPER double positive_root(double x, int n) {
  int exponent;
  double mantissa = frexp(x, &exponent);
  int whole = exponent / n, rest = exponent - whole * n;
  return ldexp(Sleef_pow_u10(ldexp(mantissa, rest), 1.0 / n), whole);
}

// Even roots of negative numbers do not exist; odd roots have the sign of x.
OVERLOAD double rootn(double x, int n) {
  bool odd = n & 1;
  if (n == 0 || isnan(x) || (x < 0 && !odd)) return NAN;
  double magnitude = fabs(x);
  if (magnitude == 0 || isinf(magnitude))
    magnitude = (magnitude == 0) == (n > 0) ? 0 : INFINITY;
  else
    magnitude = positive_root(magnitude, n);
  return odd ? copysign(magnitude, x) : magnitude;
}

FOR_VECTORS(MAP2, double, pown, double, int)
FOR_VECTORS(MAP2, double, powr, double, double)
FOR_VECTORS(MAP2, double, rootn, double, int)
