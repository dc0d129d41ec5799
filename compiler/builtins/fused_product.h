// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_BUILTINS_FUSED_PRODUCT_H_
#define CONCLAVE_COMPILER_BUILTINS_FUSED_PRODUCT_H_

// Whether the CPU that code is generated for has fused multiplication and addition: a constant once
// the library is linked (compiler/x86/cpu_questions.h).
bool has_fused_product(void) __asm("conclave.has_fma") __attribute__((const, nothrow));

#endif  // CONCLAVE_COMPILER_BUILTINS_FUSED_PRODUCT_H_
