// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: powers and roots with integer exponents, powr, and
// pow of double.
#define BODY "math_power_double.inc"
#include "for_widths.h"

// Repeated squaring in double: exact enough for float by far, and a constant exponent becomes a few
// multiplications. An overflow of the positive power means that the result is 0.
OVERLOAD float pown(float x, int n) {
  double power = 1, square = x;
  for (uint rest = abs(n); rest != 0; rest >>= 1) {
    if (rest & 1) power *= square;
    square *= square;
  }
  return (float)(n < 0 ? 1 / power : power);
}

// Undefined where x < 0, and at the points where pow() is defined by convention only.
OVERLOAD float powr(float x, float y) {
  bool undefined = x < 0 || isnan(x) || isnan(y) || (x == 0 && y == 0) || (isinf(x) && y == 0) ||
                   (x == 1 && isinf(y));
  return undefined ? (float)NAN : pow(fabs(x), y);
}

// The n-th root of a positive number: the part of the binary exponent that n divides is taken out, so
// that the rounding error of 1/n is not multiplied by the logarithm of x.
HELPER double positive_root(double x, int n) {
  int exponent;
  double mantissa = frexp(x, &exponent);
  int whole = exponent / n, rest = exponent - whole * n;
  return ldexp(pow(ldexp(mantissa, rest), 1.0 / n), whole);
}

// Even roots of negative numbers do not exist; odd roots have the sign of x.
OVERLOAD float rootn(float x, int n) {
  bool odd = n & 1;
  if (n == 0 || isnan(x) || (x < 0 && !odd)) return (float)NAN;
  float magnitude = fabs(x);
  if (magnitude == 0 || isinf(magnitude))
    magnitude = (magnitude == 0) == (n > 0) ? (float)0 : (float)INFINITY;
  else
    magnitude = (float)positive_root(magnitude, n);
  return odd ? copysign(magnitude, x) : magnitude;
}

FOR_VECTORS(MAP2, float, pown, float, int)
FOR_VECTORS(MAP2, float, powr, float, float)
FOR_VECTORS(MAP2, float, rootn, float, int)
