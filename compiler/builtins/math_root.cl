// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: cube root and hypotenuse of float.
#define BODY "math_root.inc"
#include "for_widths.h"
