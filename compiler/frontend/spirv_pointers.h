// SPDX-License-Identifier: Apache-2.0
// What a module of SPIR-V does with pointers and Debian's translator does not know: comparisons and
// differences of version 1.4, conversions by OpBitcast, sizes, copies of one value, and copies of bytes
// with memory operands for both sides.
//
//   %r = OpPtrDiff %uint %a %b
//   =>
//   %next = OpPtrAccessChain %pointer %a %one
//   %r = (%a - %b) / (%next - %a), as numbers
//
//   OpCopyMemory %to %from Volatile Aligned 4
//   =>
//   %value = OpLoad %type %from Aligned 4
//   OpStore %to %value Volatile
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_POINTERS_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_POINTERS_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module with instructions that the translator knows. A module whose instructions are damaged is
// returned as it is.
std::string with_simple_pointers(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_POINTERS_H_
