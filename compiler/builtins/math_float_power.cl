// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: powers and roots of float.
#define BODY "math_power.inc"
#include "for_widths.h"
