// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: powers and roots of double.
#include "fused_product.h"
#include "instantiate.h"

#define BODY "math_power_double.inc"
#include "for_widths.h"
