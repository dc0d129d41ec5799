// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/limited_passes.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopLoadElimination.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <optional>
#include <vector>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/packet_loop.h"

namespace conclave::compiler {
namespace {

size_t count_instructions(const llvm::Loop& loop) {
  size_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->size();
  return count;
}

// Whether the loop's loads and stores have more than one size in bytes.
bool has_accesses_of_several_sizes(const llvm::Loop& loop, const llvm::DataLayout& layout) {
  std::optional<llvm::TypeSize> common;
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      if (!llvm::getLoadStorePointerOperand(&instruction)) continue;
      const llvm::TypeSize size = layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction));
      if (common && *common != size) return true;
      common = size;
    }
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses UnswitchInnerLoops::run(llvm::Loop& loop,
                                                llvm::LoopAnalysisManager& analyses,
                                                llvm::LoopStandardAnalysisResults& results,
                                                llvm::LPMUpdater& updater) {
  const bool is_outer = llvm::findOptionMDForLoop(&loop, kOuterLoop) != nullptr;
  return llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/!is_outer)
      .run(loop, analyses, results, updater);
}

llvm::PreservedAnalyses ReleaseShortLoops::run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                               llvm::LoopStandardAnalysisResults& results,
                                               llvm::LPMUpdater&) {
  // Loops over few packets are unrolled, whose values fit in registers. More of them would make long
  // code, in which loads wait for the stores of the region before.
  const unsigned packets = results.SE.getSmallConstantTripCount(&loop);
  if (packets == 0 || packets > tuning().unrolled_packets ||
      llvm::findOptionMDForLoop(&loop, kCountedLoop) == nullptr ||
      packets * count_instructions(loop) > tuning().unrolled_packet_instructions)
    return llvm::PreservedAnalyses::all();
  llvm::LLVMContext& context = loop.getHeader()->getContext();
  llvm::Metadata* name = llvm::MDString::get(context, "llvm.loop.unroll.full");
  loop.setLoopID(llvm::makePostTransformationMetadata(context, loop.getLoopID(),
                                                      {"llvm.loop.unroll.disable", kCountedLoop},
                                                      {llvm::MDNode::get(context, name)}));
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses VectorizeLoops::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& analyses) {
  if (function.getInstructionCount() > tuning().loop_vectorizer_instructions)
    return llvm::PreservedAnalyses::all();
  return llvm::LoopVectorizePass().run(function, analyses);
}

llvm::PreservedAnalyses ForwardStores::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses) {
  if (function.getInstructionCount() > tuning().loop_vectorizer_instructions)
    return llvm::PreservedAnalyses::all();
  // LLVM 19 forwards a value of which a store of another size has overwritten a part.
  for (const llvm::Loop* loop :
       analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && has_accesses_of_several_sizes(*loop, function.getDataLayout()))
      return llvm::PreservedAnalyses::all();
  return llvm::LoopLoadEliminationPass().run(function, analyses);
}

llvm::PreservedAnalyses RemoveRepeatedCode::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager& analyses) {
  const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.getLoopsInPreorder().size() > tuning().compared_loops)
    return llvm::PreservedAnalyses::all();
  return llvm::EarlyCSEPass(/*UseMemorySSA=*/false).run(function, analyses);
}

llvm::PreservedAnalyses SplitLongBlocks::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager&) const {
  std::vector<llvm::Instruction*> places;
  for (llvm::BasicBlock& block : function) {
    unsigned count = 0;
    for (llvm::Instruction& instruction : block) {
      const bool is_place = count >= max_instructions && !instruction.isTerminator() &&
                            !llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction);
      if (is_place) places.push_back(&instruction);
      count = is_place ? 1 : count + 1;
    }
  }
  if (places.empty()) return llvm::PreservedAnalyses::all();
  // From the end, as a split moves the rest of its block. A block whose address somebody has taken is
  // not joined to another.
  for (llvm::Instruction* place : llvm::reverse(places))
    llvm::BlockAddress::get(place->getParent()->splitBasicBlock(place->getIterator()));
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
