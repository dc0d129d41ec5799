// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/canonicalize.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>

#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;

// The analyses that LLVM's passes on control flow ask for.
llvm::FunctionAnalysisManager make_analyses() {
  llvm::FunctionAnalysisManager analyses;
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return llvm::TargetIRAnalysis(); });
  analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
  analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses.registerPass([] { return llvm::LazyValueAnalysis(); });
  analyses.registerPass([] { return llvm::LoopAnalysis(); });
  return analyses;
}

template <typename Pass>
void run(Function& function) {
  llvm::FunctionAnalysisManager analyses = make_analyses();
  Pass().run(function, analyses);
}

bool is_supported(Function& function, PartRemarks& remarks) {
  for (BasicBlock& block : function) {
    if (block.hasAddressTaken())
      return remarks.refuse("the address of a label is taken", &block.front());
    const Instruction* end = block.getTerminator();
    if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst, llvm::UnreachableInst>(
            end))
      return remarks.refuse(std::string("control flow by '") + end->getOpcodeName() + "'", end);
    for (Instruction& instruction : block)
      if (llvm::isa<llvm::AllocaInst>(instruction) && !block.isEntryBlock())
        return remarks.refuse("a variable of changing size", &instruction);
  }
  return true;
}

// Hints that hold for one work-item at a place that, masked, all lanes pass.
void erase_hints(Function& function) {
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (llvm::isa<llvm::AssumeInst, llvm::LifetimeIntrinsic>(instruction))
      instruction.eraseFromParent();
}

// Branches that have one way only; what remains goes to different blocks.
void fold_branches(Function& function) {
  for (BasicBlock& block : function) llvm::ConstantFoldTerminator(&block);
  llvm::removeUnreachableBlocks(function);
}

// One block returns. A lane that comes to `unreachable` returns whatever the others do.
bool unify_returns(Function& function) {
  llvm::SmallVector<BasicBlock*> ends;
  bool returns = false;
  for (BasicBlock& block : function) {
    if (llvm::succ_empty(&block)) ends.push_back(&block);
    returns |= llvm::isa<llvm::ReturnInst>(block.getTerminator());
  }
  if (!returns || ends.size() == 1) return returns;

  llvm::Type* type = function.getReturnType();
  BasicBlock* end = BasicBlock::Create(function.getContext(), "return", &function);
  llvm::IRBuilder<> builder(end);
  llvm::PHINode* result = type->isVoidTy() ? nullptr : builder.CreatePHI(type, ends.size());
  result ? builder.CreateRet(result) : builder.CreateRetVoid();
  for (BasicBlock* block : ends) {
    auto* old = llvm::dyn_cast<llvm::ReturnInst>(block->getTerminator());
    if (result)
      result->addIncoming(old ? old->getReturnValue() : llvm::PoisonValue::get(type), block);
    block->getTerminator()->eraseFromParent();
    builder.SetInsertPoint(block);
    builder.CreateBr(end);
  }
  return true;
}

bool is_reducible(Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::ReversePostOrderTraversal<Function*> order(&function);
  return !llvm::containsIrreducibleCFG<BasicBlock*>(order, loops);
}

// Gives every loop one block that it is entered at.
void make_reducible(Function& function) {
  if (is_reducible(function)) return;
  // LLVM's pass loses values on the edge from a block to itself.
  for (BasicBlock* block : llvm::to_vector(llvm::make_pointer_range(function)))
    if (llvm::is_contained(llvm::successors(block), block)) llvm::SplitEdge(block, block);
  run<llvm::FixIrreduciblePass>(function);
}

bool simplify_loops(Function& function, PartRemarks& remarks) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::AssumptionCache assumptions(function);
  for (llvm::Loop* loop : llvm::to_vector(loops))
    llvm::simplifyLoop(loop, &dominators, &loops, nullptr, &assumptions, nullptr,
                       /*PreserveLCSSA=*/false);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const Instruction& begin = loop->getHeader()->front();
    if (!loop->isLoopSimplifyForm()) return remarks.refuse("a loop has no simple form", &begin);
    if (loop->hasNoExitBlocks()) return remarks.refuse("a loop has no end", &begin);
  }
  for (llvm::Loop* loop : loops) llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
  return true;
}

bool canonicalize(Function& region, const Uniformity& uniformity, PartRemarks& remarks) {
  if (!uniformity.has_divergent_branches()) return true;
  if (!is_supported(region, remarks)) return false;
  erase_hints(region);
  run<llvm::LowerSwitchPass>(region);
  fold_branches(region);
  if (!unify_returns(region)) return remarks.refuse("it never returns");
  make_reducible(region);
  return simplify_loops(region, remarks);
}

}  // namespace

llvm::PreservedAnalyses Canonicalize::run(llvm::Function& region,
                                          llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks& remarks) {
    canonicalize(region, analyses.getResult<UniformityAnalysis>(region), remarks);
  });
}

}  // namespace conclave::compiler
