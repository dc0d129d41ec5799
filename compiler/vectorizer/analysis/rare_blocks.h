// SPDX-License-Identifier: Apache-2.0
// Code that hardly ever runs: what stands behind branches that are marked as unlikely, by checking mode
// or by __builtin_expect(). Estimates leave it out.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_RARE_BLOCKS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_RARE_BLOCKS_H_

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace conclave::compiler {

// The blocks that are reached by such branches alone.
llvm::SmallPtrSet<const llvm::BasicBlock*, 16> rare_blocks(const llvm::Function& function,
                                                           const llvm::DominatorTree& dominators);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_RARE_BLOCKS_H_
