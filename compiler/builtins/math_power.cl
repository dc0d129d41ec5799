// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: powers and roots of double.
#include "instantiate.h"

// Whether the CPU that code is generated for has fused multiplication and addition: a constant once
// the library is linked (compiler/x86/cpu_questions.h).
bool has_fused_product(void) __asm("conclave.has_fma") __attribute__((const, nothrow));

#define BODY "math_power_double.inc"
#include "for_widths.h"
