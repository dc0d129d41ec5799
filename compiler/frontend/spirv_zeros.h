// SPDX-License-Identifier: Apache-2.0
// Null constants of numbers in modules of SPIR-V, which LLVM's own code generator for SPIR-V makes of
// every zero. Debian's translator knows those of other types only.
//
//   %zero = OpConstantNull %uint
//   =>
//   %zero = OpConstant %uint 0
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_ZEROS_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_ZEROS_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module with zeros instead. A module whose instructions are damaged is returned as it is.
std::string with_zeros_for_nulls(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_ZEROS_H_
