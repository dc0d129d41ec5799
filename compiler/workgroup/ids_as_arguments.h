// SPDX-License-Identifier: Apache-2.0
// Gives a function as arguments what it asks about the work-item.
//
//   define spir_func float @cl.stack(ptr %s) {        define spir_func float @cl.stack(ptr %s, i64 %id) {
//     %id = call i64 @_Z13get_global_idj(i32 0)   =>    ... }
//     ... }
//   %v = call float @cl.stack(ptr %s)                 %id = call i64 @_Z13get_global_idj(i32 0)
//                                                     %v = call float @cl.stack(ptr %s, i64 %id)
//
// The alternative to inlining it, where that would be much code.
#ifndef CONCLAVE_COMPILER_WORKGROUP_IDS_AS_ARGUMENTS_H_
#define CONCLAVE_COMPILER_WORKGROUP_IDS_AS_ARGUMENTS_H_

#include <llvm/IR/Function.h>

namespace conclave::compiler {

// Replaces `function` by one with further arguments, and its calls by calls of that. Returns false, and
// changes nothing, where the function does more than ask for ids and sizes of known dimensions, or is
// used otherwise than by calls.
bool pass_ids_as_arguments(llvm::Function& function);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_IDS_AS_ARGUMENTS_H_
