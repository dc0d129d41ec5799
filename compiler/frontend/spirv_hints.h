// SPDX-License-Identifier: Apache-2.0
// What modules of SPIR-V may say of pointers that never overlap (SPV_INTEL_memory_access_aliasing,
// which compilers for SYCL make of every inlined function), and the texts of version 1.4 that mean
// something to the host alone (UserSemantic).
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_HINTS_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_HINTS_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module without these declarations and without what refers to them: Debian's validator knows
// no place where the first may stand, and its translator does not know the texts. They are hints,
// so the module means the same. A module whose instructions are damaged is returned as it is.
std::string without_hints(std::string_view module);

// The module without OpenCL.DebugInfo.100. Debian's validator refuses what its own translator writes of
// it (sources without text, qualifiers of typedefs), so it gets the module so.
std::string without_debug_info(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_HINTS_H_
