// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/block_copies.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace conclave::compiler {

using llvm::BasicBlock;
using llvm::Value;

void copy_blocks(llvm::ArrayRef<BasicBlock*> blocks, const llvm::Twine& suffix,
                 llvm::ValueToValueMapTy& map) {
  llvm::SmallVector<BasicBlock*> copies;
  for (BasicBlock* block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, suffix, block->getParent()));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
  for (BasicBlock* block : blocks) {
    llvm::SmallSetVector<BasicBlock*, 2> successors(llvm::succ_begin(block), llvm::succ_end(block));
    for (BasicBlock* successor : successors) {
      if (map.count(successor) != 0) continue;
      for (llvm::PHINode& phi : successor->phis()) {
        Value* value = phi.getIncomingValueForBlock(block);
        Value* copy = map.lookup(value);
        phi.addIncoming(copy ? copy : value, llvm::cast<BasicBlock>(map.lookup(block)));
      }
    }
  }
}

}  // namespace conclave::compiler
