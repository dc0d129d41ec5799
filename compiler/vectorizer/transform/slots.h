// SPDX-License-Identifier: Apache-2.0
// Variables of a function that passes use while they rewrite its control flow; in the end they
// become values again.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_SLOTS_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_SLOTS_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {

class Slots {
 public:
  explicit Slots(llvm::Function& function) : function_(function) {}

  // A slot that is set to `initial` wherever `begin`, a loop's header or the entry block, begins;
  // nothing is kept in it from one iteration to the next then. Null: it is never set so.
  llvm::AllocaInst* add(llvm::Type* type, const llvm::Twine& name, llvm::BasicBlock* begin,
                        llvm::Value* initial);

  // After control flow has changed: puts values into slots where they do not dominate their uses
  // any more. On ways around a definition the slot has poison. `loops` are those of before.
  void mend_values(const llvm::LoopInfo& loops);

  // Ends it all. False where that would take too long.
  bool promote();

 private:
  llvm::Function& function_;
  llvm::SmallVector<llvm::AllocaInst*> slots_;
};

// Returns the place for a pass's instructions that must come first in a block.
llvm::BasicBlock::iterator begin_of(llvm::BasicBlock& block);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_SLOTS_H_
