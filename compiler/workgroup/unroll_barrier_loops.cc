// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/unroll_barrier_loops.h"

#include <llvm/IR/Instructions.h>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/full_unroll.h"
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
  const bool changed =
      unroll_fully(kernel, analyses, UnrollOrder::kOuterFirst,
                   [&](const llvm::Loop& loop, unsigned iterations, const llvm::ScalarEvolution&) {
                     Extent all;
                     for (const llvm::BasicBlock& block : kernel) all.add(block);
                     return is_worth_it(loop, iterations, all);
                   });
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
