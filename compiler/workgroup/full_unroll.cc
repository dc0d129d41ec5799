// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/full_unroll.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <algorithm>

namespace conclave::compiler {
namespace {

class Unroller {
 public:
  Unroller(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        assumptions_(analyses.getResult<llvm::AssumptionAnalysis>(function)),
        target_(analyses.getResult<llvm::TargetIRAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)) {}

  // Unrolling a loop changes the list of loops: one at a time.
  bool unroll_one(UnrollOrder order, IsWorthUnrolling is_worth_it) {
    auto loops = loops_.getLoopsInPreorder();
    if (order == UnrollOrder::kInnerFirst) std::reverse(loops.begin(), loops.end());
    for (llvm::Loop* loop : loops) {
      const unsigned iterations = evolution_.getSmallConstantTripCount(loop);
      if (iterations != 0 && is_worth_it(*loop, iterations, evolution_) &&
          unroll(*loop, iterations))
        return true;
    }
    return false;
  }

 private:
  bool unroll(llvm::Loop& loop, unsigned iterations) {
    llvm::UnrollLoopOptions options{};
    options.Count = iterations;
    options.Force = true;
    options.ForgetAllSCEV = true;
    return llvm::UnrollLoop(&loop, options, &loops_, &evolution_, &dominators_, &assumptions_,
                            &target_, &remarks_,
                            /*PreserveLCSSA=*/true) == llvm::LoopUnrollResult::FullyUnrolled;
  }

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& dominators_;
  llvm::AssumptionCache& assumptions_;
  llvm::TargetTransformInfo& target_;
  llvm::OptimizationRemarkEmitter& remarks_;
};

}  // namespace

bool unroll_fully(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                  UnrollOrder order, IsWorthUnrolling is_worth_it) {
  llvm::FunctionPassManager preparation;
  preparation.addPass(llvm::LoopSimplifyPass());
  preparation.addPass(llvm::LCSSAPass());
  preparation.run(function, analyses);
  Unroller unroller(function, analyses);
  bool changed = false;
  while (unroller.unroll_one(order, is_worth_it)) changed = true;
  if (changed) analyses.invalidate(function, llvm::PreservedAnalyses::none());
  return changed;
}

}  // namespace conclave::compiler
