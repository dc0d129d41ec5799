// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: hyperbolic functions of float.
#define BODY "math_hyperbolic.inc"
#include "for_widths.h"
