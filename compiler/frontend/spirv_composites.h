// SPDX-License-Identifier: Apache-2.0
// Vectors, structures and arrays that a module of SPIR-V puts together of values. Debian's translator
// knows how to of constants only, and crashes.
//
//   %r = OpCompositeConstruct %v2 %x %y
//   =>
//   %none = OpUndef %v2
//   %one = OpCompositeInsert %v2 %x %none 0
//   %r = OpCompositeInsert %v2 %y %one 1
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_COMPOSITES_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_COMPOSITES_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module with insertions instead. A module whose instructions are damaged is returned as it is.
std::string with_insertions(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_COMPOSITES_H_
