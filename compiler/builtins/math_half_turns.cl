// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: sine, cosine and tangent of half-turns of float.
#define BODY "math_half_turns.inc"
#include "for_widths.h"
