// SPDX-License-Identifier: Apache-2.0
// Extensions of SPIR-V that Debian's translator does not know:
// - SPV_EXT_shader_atomic_float16_add becomes the one for float, which means the same of half;
// - SPV_KHR_non_semantic_info, which says nothing of what a program does, is left out.
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_EXTENSIONS_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_EXTENSIONS_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module, which the validator accepts, without them. A module whose instructions are damaged is
// returned as it is.
std::string without_unknown_extensions(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_EXTENSIONS_H_
