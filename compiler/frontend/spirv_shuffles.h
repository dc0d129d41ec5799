// SPDX-License-Identifier: Apache-2.0
// Shuffles of two vectors of different lengths in modules of SPIR-V, of which Debian's translator wants
// the same length.
//
//   %r = OpVectorShuffle %v4 %a3 %b2 0 1 3 4
//   =>
//   %new = OpVectorShuffle %v3 %b2 %b2 0 1 0xffffffff
//   %r = OpVectorShuffle %v4 %a3 %new 0 1 3 4
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_SHUFFLES_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_SHUFFLES_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module with the shorter vectors made longer. A module whose instructions are damaged is returned
// as it is.
std::string with_even_shuffles(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_SHUFFLES_H_
