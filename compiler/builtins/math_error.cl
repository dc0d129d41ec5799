// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: error functions of float.
#define BODY "math_error.inc"
#include "for_widths.h"
