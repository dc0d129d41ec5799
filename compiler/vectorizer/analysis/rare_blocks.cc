// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/rare_blocks.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ProfDataUtils.h>

#include <algorithm>
#include <utility>

namespace conclave::compiler {
namespace {

// LLVM gives the likely way of __builtin_expect() 2,000 times the weight.
constexpr uint64_t kUnlikely = 1'000;

bool is_unlikely(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from.getTerminator());
  uint64_t there = 0, elsewhere = 0;
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
      !llvm::extractBranchWeights(*branch, there, elsewhere))
    return false;
  if (branch->getSuccessor(0) != &to) std::swap(there, elsewhere);
  return elsewhere / kUnlikely >= std::max<uint64_t>(there, 1);
}

}  // namespace

llvm::SmallPtrSet<const llvm::BasicBlock*, 16> rare_blocks(const llvm::Function& function,
                                                           const llvm::DominatorTree& dominators) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> rare;
  for (const llvm::BasicBlock* block :
       llvm::ReversePostOrderTraversal<const llvm::Function*>(&function)) {
    if (block == &function.getEntryBlock()) continue;
    const bool is_rare = rare.contains(dominators.getNode(block)->getIDom()->getBlock()) ||
                         llvm::all_of(llvm::predecessors(block), [&](const llvm::BasicBlock* from) {
                           return rare.contains(from) || is_unlikely(*from, *block);
                         });
    if (is_rare) rare.insert(block);
  }
  return rare;
}

}  // namespace conclave::compiler
