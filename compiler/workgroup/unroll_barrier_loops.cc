// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/unroll_barrier_loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

struct Extent {
  uint64_t instructions = 0, barriers = 0;

  void add(const llvm::BasicBlock& block) {
    for (const llvm::Instruction& instruction : block) {
      ++instructions;
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      barriers += call && classify(*call) == WorkItemFunction::kBarrier;
    }
  }
};

bool is_worth_it(const llvm::Loop& loop, unsigned iterations, const Extent& kernel) {
  if (iterations == 0) return false;  // not known
  Extent body;
  for (const llvm::BasicBlock* block : loop.blocks()) body.add(*block);
  const uint64_t more = iterations - 1;
  return body.barriers > 0 &&
         kernel.barriers + more * body.barriers <= tuning().unrolled_barriers &&
         kernel.instructions + more * body.instructions <= tuning().unrolled_instructions;
}

}  // namespace

llvm::PreservedAnalyses UnrollBarrierLoops::run(llvm::Function& kernel,
                                                llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(kernel);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(kernel);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(kernel);
  auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(kernel);
  auto& target = analyses.getResult<llvm::TargetIRAnalysis>(kernel);
  auto& remarks = analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(kernel);
  const auto unroll_one = [&] {
    Extent all;
    for (const llvm::BasicBlock& block : kernel) all.add(block);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      const unsigned iterations = evolution.getSmallConstantTripCount(loop);
      if (!is_worth_it(*loop, iterations, all)) continue;
      llvm::UnrollLoopOptions options{};
      options.Count = iterations;
      options.Force = true;
      options.ForgetAllSCEV = true;
      if (llvm::UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions, &target,
                           &remarks,
                           /*PreserveLCSSA=*/true) == llvm::LoopUnrollResult::FullyUnrolled)
        return true;
    }
    return false;
  };
  bool changed = false;
  while (unroll_one()) changed = true;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
