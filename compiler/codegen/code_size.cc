// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/code_size.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>

#include "compiler/base/crowded_variables.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

unsigned loop_depth(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  unsigned depth = 0;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    depth = std::max(depth, loop->getLoopDepth());
  return depth;
}

bool is_huge(llvm::Function& function) {
  return function.size() > tuning().kernel_blocks ||
         function.getInstructionCount() > tuning().kernel_instructions ||
         loop_depth(function) > tuning().kernel_loop_depth || has_crowded_variable(function);
}

}  // namespace

uint64_t InlinedSizes::of(const llvm::Function& function) {
  if (function.isDeclaration()) return 0;
  if (auto known = known_.find(&function); known != known_.end()) return known->second;
  uint64_t size = function.getInstructionCount();
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || !call->getCalledFunction() || call->hasFnAttr(llvm::Attribute::NoInline)) continue;
    size = std::min(size + of(*call->getCalledFunction()),
                    uint64_t{tuning().program_instructions} + 1);
  }
  return known_[&function] = size;
}

bool is_huge(llvm::Module& module) {
  return inlined_size(module) > tuning().program_instructions ||
         llvm::any_of(module, [](llvm::Function& function) {
           return !function.isDeclaration() && is_huge(function);
         });
}

uint64_t inlined_size(llvm::Module& module) {
  InlinedSizes sizes;
  uint64_t largest = 0;
  for (const llvm::Function& function : module) largest = std::max(largest, sizes.of(function));
  return largest;
}

}  // namespace conclave::compiler
