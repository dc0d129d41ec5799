// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/ordered_iterations.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace conclave::compiler {
namespace {

constexpr char kIndependent[] = "llvm.loop.parallel_accesses";
constexpr int64_t kMostNeighbours = 8;      // that LLVM takes together
constexpr size_t kMostQuestions = 100'000;  // some 0.1 s

struct Access {
  llvm::Instruction* instruction;
  const llvm::SCEVAddRecExpr* address = nullptr;  // null: LLVM takes it together with no other
  int64_t step = 0, bytes = 0;

  bool is_store() const { return llvm::isa<llvm::StoreInst>(instruction); }
};

class Iteration {
 public:
  Iteration(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
            llvm::AAResults& aliases)
      : evolution_(evolution), aliases_(aliases) {
    llvm::LoopBlocksRPO blocks(&loop);
    blocks.perform(&loops);
    for (llvm::BasicBlock* block : blocks)
      for (llvm::Instruction& instruction : *block)
        if (instruction.mayReadOrWriteMemory()) accesses_.push_back(describe(instruction, loop));
  }

  // Whether an access depends on one with which LLVM would change its order, or may do so in a loop of
  // very many.
  bool depends_on_order() {
    for (size_t second = 1; second < accesses_.size(); ++second)
      for (size_t first = 0; first < second; ++first)
        if (are_neighbours(accesses_[first], accesses_[second]) && has_obstacle(first, second))
          return true;
    return questions_ > kMostQuestions;
  }

 private:
  Access describe(llvm::Instruction& instruction, const llvm::Loop& loop) {
    Access access{&instruction};
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer) return access;
    auto* address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(pointer));
    if (!address || address->getLoop() != &loop) return access;
    auto* step = llvm::dyn_cast<llvm::SCEVConstant>(address->getStepRecurrence(evolution_));
    const auto bytes = instruction.getDataLayout().getTypeStoreSize(getLoadStoreType(&instruction));
    if (!step || bytes.isScalable() || bytes.isZero() || step->getAPInt().getSignificantBits() > 32)
      return access;
    access.step = step->getAPInt().getSExtValue();
    access.bytes = static_cast<int64_t>(bytes.getFixedValue());
    const int64_t stride = std::abs(access.step) / access.bytes;
    if (stride > 1 && stride <= kMostNeighbours) access.address = address;
    return access;
  }

  bool are_neighbours(const Access& first, const Access& second) {
    if (!first.address || !second.address || first.is_store() != second.is_store() ||
        first.step != second.step || first.bytes != second.bytes || ++questions_ > kMostQuestions)
      return false;
    auto* distance =
        llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(second.address, first.address));
    return distance && distance->getAPInt().abs().ult(static_cast<uint64_t>(std::abs(first.step)));
  }

  // Whether there is an access between two stores that the first one cannot pass, or between two loads
  // that the second one cannot.
  bool has_obstacle(size_t first, size_t second) {
    const Access& moved = accesses_[accesses_[first].is_store() ? first : second];
    const auto place = llvm::MemoryLocation::get(moved.instruction);
    for (size_t other = first + 1; other < second; ++other) {
      if (++questions_ > kMostQuestions) return false;
      const auto effect = aliases_.getModRefInfo(accesses_[other].instruction, place);
      if (moved.is_store() ? isModOrRefSet(effect) : isModSet(effect)) return true;
    }
    return false;
  }

  llvm::ScalarEvolution& evolution_;
  llvm::BatchAAResults aliases_;
  std::vector<Access> accesses_;
  size_t questions_ = 0;
};

}  // namespace

llvm::PreservedAnalyses OrderedIterations::run(llvm::Function& function,
                                               llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isAnnotatedParallel()) continue;
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto& aliases = analyses.getResult<llvm::AAManager>(function);
    if (Iteration(*loop, loops, evolution, aliases).depends_on_order())
      loop->setLoopID(llvm::makePostTransformationMetadata(function.getContext(), loop->getLoopID(),
                                                           {kIndependent}, {}));
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
