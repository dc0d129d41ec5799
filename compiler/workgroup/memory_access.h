// SPDX-License-Identifier: Apache-2.0
// Which memory an instruction accesses, as far as the passes that annotate accesses care.
#ifndef CONCLAVE_COMPILER_WORKGROUP_MEMORY_ACCESS_H_
#define CONCLAVE_COMPILER_WORKGROUP_MEMORY_ACCESS_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instruction.h>

namespace conclave::compiler {

// The pointers through which a load, a store, a copy, or a call of the vload and vstore families
// accesses memory. The result is empty for everything else, and for atomic and volatile accesses.
llvm::SmallVector<const llvm::Value*, 2> accessed_pointers(const llvm::Instruction& instruction);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_MEMORY_ACCESS_H_
