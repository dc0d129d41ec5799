// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: logarithms.
#define BODY "math_logarithm.inc"
#include "for_widths.h"
#define BODY "math_logarithm_double.inc"
#include "for_widths.h"
