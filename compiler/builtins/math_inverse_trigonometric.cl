// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: inverse trigonometric functions of float.
#define BODY "math_inverse_trigonometric.inc"
#include "for_widths.h"
