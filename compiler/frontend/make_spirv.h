// SPDX-License-Identifier: Apache-2.0
// OpenCL C to SPIR-V, with Debian's clang-15 and llvm-spirv-15: LLVM 19 of Debian 12 has no code
// generator for SPIR-V, and the translator reads no other bitcode than LLVM 15's.
#ifndef CONCLAVE_COMPILER_FRONTEND_MAKE_SPIRV_H_
#define CONCLAVE_COMPILER_FRONTEND_MAKE_SPIRV_H_

#include <string>
#include <vector>

#include "compiler/frontend/options.h"

namespace conclave::compiler {

// One module of all sources, which are paths. Warnings are not printed, errors are. Throws
// BuildError.
std::string make_spirv(const std::vector<std::string>& sources, const Options& options);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_MAKE_SPIRV_H_
