// SPDX-License-Identifier: Apache-2.0
// What Debian's translator does not know of the head of a module of SPIR-V: versions after 1.4, and
// execution modes whose numbers are constants of the module.
//
//   OpExecutionModeId %kernel LocalSizeId %c8 %c1 %c1
//   =>
//   OpExecutionMode %kernel LocalSize 8 1 1
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_MODES_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_MODES_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module as one of version 1.4 at most, with the numbers in place of the constants. A module whose
// instructions are damaged is returned as it is.
std::string with_plain_modes(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_MODES_H_
