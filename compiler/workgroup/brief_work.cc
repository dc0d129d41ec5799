// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/brief_work.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

// Stands for everything above the limit.
uint64_t too_much() {
  return uint64_t{tuning().brief_instructions} + 1;
}

// Counts up to that.
class Work {
 public:
  Work(llvm::FunctionAnalysisManager& analyses, uint64_t cost_of_others)
      : cost_of_others_(cost_of_others), analyses_(analyses) {}

  uint64_t of(llvm::Function& function) {
    if (function.isDeclaration()) return cost_of_others_;
    // It is not known how often a function calls itself.
    if (!open_.insert(&function).second) return too_much();
    const uint64_t sum = has_other_cycles(function) ? too_much() : sum_of(function);
    open_.erase(&function);
    return sum;
  }

 private:
  uint64_t sum_of(llvm::Function& function) {
    uint64_t sum = 0;
    for (llvm::BasicBlock& block : function) {
      const uint64_t iterations = times(function, block);
      for (llvm::Instruction& instruction : block) {
        sum += of(instruction) * iterations;
        if (sum >= too_much()) return too_much();
      }
    }
    return sum;
  }

  // Cycles with several entries are no loops to LLVM.
  bool has_other_cycles(llvm::Function& function) {
    const auto& loops = analyses_.getResult<llvm::LoopAnalysis>(function);
    const llvm::ReversePostOrderTraversal<const llvm::Function*> blocks(&function);
    return llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(blocks, loops);
  }

  uint64_t of(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || llvm::isa<llvm::IntrinsicInst>(call)) return 1;
    llvm::Function* callee = call->getCalledFunction();
    return callee ? of(*callee) : too_much();
  }

  // How often the block runs at most in one call of the function.
  uint64_t times(llvm::Function& function, const llvm::BasicBlock& block) {
    const auto& loops = analyses_.getResult<llvm::LoopAnalysis>(function);
    uint64_t product = 1;
    for (const llvm::Loop* loop = loops.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
      auto& evolution = analyses_.getResult<llvm::ScalarEvolutionAnalysis>(function);
      const unsigned iterations = evolution.getSmallConstantMaxTripCount(loop);
      product *= std::min<uint64_t>(iterations ? iterations : too_much(), too_much());
      if (product >= too_much()) return too_much();
    }
    return product;
  }

  const uint64_t cost_of_others_;  // of functions without a body
  llvm::FunctionAnalysisManager& analyses_;
  llvm::SmallPtrSet<llvm::Function*, 8> open_;  // those that are being counted
};

}  // namespace

bool is_brief(llvm::Function& region, llvm::FunctionAnalysisManager& analyses) {
  return Work(analyses, too_much()).of(region) < too_much();
}

bool is_brief_besides_calls(llvm::Function& region, llvm::FunctionAnalysisManager& analyses) {
  return Work(analyses, 1).of(region) < too_much();
}

}  // namespace conclave::compiler
