// SPDX-License-Identifier: Apache-2.0
// Copies a part of a function's control flow, which then has two versions.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_BLOCK_COPIES_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_BLOCK_COPIES_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace conclave::compiler {

// Copies the blocks, which use values of each other and of those before. The copies have the same
// predecessors and successors outside, and phis of these successors get the copies' values too.
// `map` then leads from each block and value to its copy.
void copy_blocks(llvm::ArrayRef<llvm::BasicBlock*> blocks, const llvm::Twine& suffix,
                 llvm::ValueToValueMapTy& map);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_BLOCK_COPIES_H_
