// SPDX-License-Identifier: Apache-2.0
// OpenCL C 6.15.2, math functions: powers and roots of float.
#include "instantiate.h"

// Whether the CPU has fused multiplication and addition, and registers that hold a table of 8 floats,
// of which one operation takes one for each lane: a constant once code is for packets, or not
// (compiler/x86/cpu_questions.h).
bool has_register_tables(void) __asm("conclave.has_register_tables")
    __attribute__((const, nothrow));

// Where the tables begin: they have numbers from the one with these bits to twice that, by the three
// bits that follow the exponent in the difference. A c close to the inverse, and -log2(c) in two
// parts, of which the first has 16 bits after the point.
#define TABLES_FROM 0x3f360000
HELPER float table_inverse(int i) {
  return ((float8)(1.375f, 1.25f, 1.125f, 1.0625f, 1, 0.90625f, 0.8125f, 0.75f))[i];
}
HELPER float table_log2(int i) {
  return ((float8)(-0x1.d674p-2f, -0x1.49a8p-2f, -0x1.5cp-3f, -0x1.664p-4f, 0, 0x1.22d8p-3f,
                   0x1.32cp-2f, 0x1.a9p-2f))[i];
}
HELPER float table_log2_low(int i) {
  return ((float8)(-0x1.3e032ep-18f, 0x1.ed0cbap-20f, -0x1.a39fbep-19f, 0x1.20a6dep-21f, 0,
                   0x1.6e155ap-18f, -0x1.1c8f12p-22f, -0x1.a39fbep-20f))[i];
}
#define LOG2_OF_E 0x1.715476p+0f
#define FMA __builtin_elementwise_fma

#define BODY "math_power.inc"
#include "for_widths.h"
