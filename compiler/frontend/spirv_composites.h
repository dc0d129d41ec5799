// SPDX-License-Identifier: Apache-2.0
// Vectors, structures and arrays of a module of SPIR-V. Debian's translator puts them together of
// constants only and crashes at other values; it crashes too where one instruction reaches through a
// structure into a vector; and it does not know copies between types that are the same but for their
// names.
//
//   %r = OpCompositeConstruct %v2 %x %y
//   =>
//   %none = OpUndef %v2
//   %one = OpCompositeInsert %v2 %x %none 0
//   %r = OpCompositeInsert %v2 %y %one 1
//
//   %r = OpCompositeExtract %uint %struct 1 3
//   =>
//   %vector = OpCompositeExtract %v4 %struct 1
//   %r = OpCompositeExtract %uint %vector 3
//
//   %r = OpCopyLogical %b %a   =>   extractions of all parts, and insertions
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_COMPOSITES_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_COMPOSITES_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module with these instructions instead. Copies that move more than 65,536 parts in all are left
// as they are. A module whose instructions are damaged is returned as it is.
std::string with_simple_composites(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_COMPOSITES_H_
