// SPDX-License-Identifier: Apache-2.0
// Checks accesses to the private variables of a kernel: whether an array's index is inside, and
// whether what is read has been written.
//
// It comes before all simplification, which takes undefined values for whatever suits it. Each
// variable that may be read too early gets a shadow variable, with a byte for each of its bytes,
// 0xff where it has been written; like the variable itself it mostly becomes values, and then
// constants.
#ifndef CONCLAVE_COMPILER_CHECK_CHECK_PRIVATE_H_
#define CONCLAVE_COMPILER_CHECK_CHECK_PRIVATE_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {

// Inlines into the kernels all functions that have pointers as parameters, or access private
// variables of their own: then it is known what is accessed.
void inline_for_checks(llvm::Module& module);

// Leaves calls of a function without body where something is found, which CloseLook replaces:
// (site, offset in the variable, its size).
void check_private_variables(llvm::Function& kernel);

bool is_private_finding(const llvm::CallInst& call);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_CHECK_PRIVATE_H_
