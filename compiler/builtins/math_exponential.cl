// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: exponentials.
#define BODY "math_exponential.inc"
#include "for_widths.h"
#define BODY "math_exponential_double.inc"
#include "for_widths.h"
