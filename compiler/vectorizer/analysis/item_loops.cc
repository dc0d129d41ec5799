// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/item_loops.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/vectorizer/analysis/lane_pass.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Loop;

constexpr char kItemLanes[] = "conclave.item-lanes";

// Two blocks are a loop that is not rotated yet.
constexpr unsigned kMostBlocks = 2;

class ItemLoops {
 public:
  ItemLoops(llvm::Function& region, llvm::FunctionAnalysisManager& analyses)
      : region_(region), analyses_(analyses) {}

  // Iterations at once with registers of so many bits; 1 where the loop stays as it is.
  unsigned lanes(Loop& loop, unsigned register_bits) {
    if (!loop.isInnermost() || loop.getNumBlocks() > kMostBlocks || !loop.getExitingBlock() ||
        !loop.getLoopLatch() || !loop.getLoopPreheader())
      return 1;
    unsigned widest = 0;
    for (llvm::BasicBlock* block : loop.blocks())
      for (Instruction& instruction : *block) {
        if (!is_simple(instruction, loop)) return 1;
        if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction))
          widest = std::max<unsigned>(widest,
                                      llvm::getLoadStoreType(&instruction)->getScalarSizeInBits());
      }
    if (widest < 8 || widest > register_bits) return 1;
    const unsigned lanes = register_bits / widest;
    const unsigned iterations =
        get<llvm::ScalarEvolutionAnalysis>().getSmallConstantMaxTripCount(&loop);
    if (iterations != 0 && iterations < 2 * lanes) return 1;
    const bool are_independent = accesses(loop).canVectorizeMemory() &&
                                 llvm::all_of(loop.getHeader()->phis(), [&](llvm::PHINode& phi) {
                                   return is_counted_or_reduced(phi, loop);
                                 });
    return are_independent ? lanes : 1;
  }

 private:
  template <typename Analysis>
  typename Analysis::Result& get() {
    return analyses_.getResult<Analysis>(region_);
  }

  const llvm::LoopAccessInfo& accesses(Loop& loop) {
    return get<llvm::LoopAccessAnalysis>().getInfo(loop);
  }

  // One operation for vectors; accesses go from element to element, or load from one place.
  bool is_simple(Instruction& instruction, Loop& loop) {
    if (instruction.getType()->isVectorTy()) return false;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return load->isSimple() && steps_by_element(instruction, loop, /*or_stays=*/true);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return store->isSimple() && !store->getValueOperand()->getType()->isVectorTy() &&
             steps_by_element(instruction, loop, /*or_stays=*/false);
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      return call->getIntrinsicID() == llvm::Intrinsic::fmuladd ||
             llvm::isTriviallyVectorizable(call->getIntrinsicID()) ||
             llvm::isa<llvm::AssumeInst, llvm::DbgInfoIntrinsic>(call);
    return instruction.isTerminator() || !instruction.mayReadOrWriteMemory();
  }

  bool steps_by_element(Instruction& access, Loop& loop, bool or_stays) {
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
    if (or_stays && loop.isLoopInvariant(pointer)) return true;
    // Steps that the program leaves open are one only by a check.
    llvm::PredicatedScalarEvolution evolution(get<llvm::ScalarEvolutionAnalysis>(), loop);
    const auto step = llvm::getPtrStride(evolution, llvm::getLoadStoreType(&access), pointer, &loop,
                                         llvm::DenseMap<llvm::Value*, const llvm::SCEV*>(),
                                         /*Assume=*/true, /*ShouldCheckWrap=*/false);
    return step && std::abs(*step) == 1;
  }

  // Sums of real numbers are reductions only where their order may change.
  bool is_counted_or_reduced(llvm::PHINode& phi, Loop& loop) {
    auto& evolution = get<llvm::ScalarEvolutionAnalysis>();
    llvm::InductionDescriptor induction;
    if (llvm::InductionDescriptor::isInductionPHI(&phi, &loop, &evolution, induction)) return true;
    llvm::RecurrenceDescriptor reduction;
    return llvm::RecurrenceDescriptor::isReductionPHI(
               &phi, &loop, reduction, &get<llvm::DemandedBitsAnalysis>(),
               &get<llvm::AssumptionAnalysis>(), &get<llvm::DominatorTreeAnalysis>(), &evolution) &&
           !reduction.isOrdered();
  }

  llvm::Function& region_;
  llvm::FunctionAnalysisManager& analyses_;
};

void mark(const Loop& loop, unsigned lanes) {
  llvm::LLVMContext& context = loop.getHeader()->getContext();
  auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), lanes);
  auto* node = llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number));
  for (llvm::BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block) instruction.setMetadata(kItemLanes, node);
}

}  // namespace

unsigned item_lanes(const Instruction& instruction) {
  const llvm::MDNode* node = instruction.getMetadata(kItemLanes);
  if (!node) return 1;
  return static_cast<unsigned>(
      llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue());
}

llvm::PreservedAnalyses NoteItemLoops::run(llvm::Function& region,
                                           llvm::FunctionAnalysisManager& analyses) {
  const llvm::TargetTransformInfo target = costs_.run(region, analyses);
  const auto register_bits = static_cast<unsigned>(
      target.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
  transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    ItemLoops loops(region, analyses);
    for (Loop* loop : analyses.getResult<llvm::LoopAnalysis>(region).getLoopsInPreorder())
      if (const unsigned lanes = loops.lanes(*loop, register_bits); lanes > 1) mark(*loop, lanes);
  });
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
