// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu_pipeline.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/DeadArgumentElimination.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/DivRemPairs.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopInstSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/MemCpyOptimizer.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "compiler/passes/freeze_wrapping_indices.h"
#include "compiler/passes/packet_loop.h"
#include "compiler/passes/work_group_function.h"
#include "compiler/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::FunctionPassManager;
using llvm::LoopPassManager;

constexpr int kUnrollLevel = 3;

// Makes second versions of a kernel's loops for conditions that stay the same, of small loops over
// packets too.
struct UnswitchInnerLoops : llvm::PassInfoMixin<UnswitchInnerLoops> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                                     llvm::LoopStandardAnalysisResults& results,
                                     llvm::LPMUpdater& updater) {
    const bool is_outer =
        tuning().keep_outer_loops && llvm::findOptionMDForLoop(&loop, kOuterLoop) != nullptr;
    return llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/!is_outer)
        .run(loop, analyses, results, updater);
  }
};

// Loops over few packets are unrolled, whose values fit in registers. More of them would make long
// code, in which loads wait for the stores of the region before.
// Lets the next pass unroll short loops over packets.
struct ReleaseShortLoops : llvm::PassInfoMixin<ReleaseShortLoops> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                     llvm::LoopStandardAnalysisResults& results,
                                     llvm::LPMUpdater&) {
    const unsigned packets = results.SE.getSmallConstantTripCount(&loop);
    if (packets == 0 || packets > tuning().unrolled_packets ||
        llvm::findOptionMDForLoop(&loop, kCountedLoop) == nullptr)
      return llvm::PreservedAnalyses::all();
    llvm::LLVMContext& context = loop.getHeader()->getContext();
    llvm::Metadata* name = llvm::MDString::get(context, "llvm.loop.unroll.full");
    loop.setLoopID(llvm::makePostTransformationMetadata(context, loop.getLoopID(),
                                                        {"llvm.loop.unroll.disable", kCountedLoop},
                                                        {llvm::MDNode::get(context, name)}));
    return llvm::PreservedAnalyses::all();
  }
};

// Turns loops into the form that the vectorizer wants, and takes out of them what is the same for
// all work-items.
LoopPassManager make_invariant_code_passes() {
  LoopPassManager passes;
  passes.addPass(llvm::LoopInstSimplifyPass());
  passes.addPass(llvm::LoopSimplifyCFGPass());
  passes.addPass(llvm::LoopRotatePass());
  passes.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(UnswitchInnerLoops());
  return passes;
}

LoopPassManager make_counting_passes() {
  LoopPassManager passes;
  passes.addPass(llvm::LoopIdiomRecognizePass());
  passes.addPass(llvm::IndVarSimplifyPass());
  passes.addPass(llvm::LoopDeletionPass());
  passes.addPass(ReleaseShortLoops());
  passes.addPass(llvm::LoopFullUnrollPass(kUnrollLevel));
  return passes;
}

FunctionPassManager make_simplification() {
  FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ReassociatePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(make_invariant_code_passes(),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(make_counting_passes(),
                                                       /*UseMemorySSA=*/false));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::BDCEPass());
  passes.addPass(llvm::MemCpyOptPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass(
      llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)));
  passes.addPass(llvm::InstCombinePass());
  return passes;
}

// LLVM's vectorizer takes time by the square of a loop's length. The kernel's vectorizer leaves
// those that are too long for it, and their loop over work-items is as long.
struct VectorizeLoops : llvm::PassInfoMixin<VectorizeLoops> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
    if (function.getInstructionCount() > tuning().loop_vectorizer_instructions)
      return llvm::PreservedAnalyses::all();
    return llvm::LoopVectorizePass().run(function, analyses);
  }
};

FunctionPassManager make_vectorization(bool is_in_packets) {
  FunctionPassManager passes;
  if (!is_in_packets) {
    passes.addPass(FreezeWrappingIndices());
    passes.addPass(VectorizeLoops());
  }
  passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .forwardSwitchCondToPhi(true)
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)
                                           .hoistCommonInsts(true)
                                           .sinkCommonInsts(true)));
  if (!is_in_packets) passes.addPass(llvm::SLPVectorizerPass());
  passes.addPass(llvm::VectorCombinePass());
  // Not by counts that are known at run time only: inner loops of kernels are often short, and the
  // remainder is one more branch that is predicted wrong.
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(kUnrollLevel).setRuntime(false)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

// The code generator takes time by the square of a block's length. No pass that joins blocks may
// come later.
struct SplitLongBlocks : llvm::PassInfoMixin<SplitLongBlocks> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    // The rest of a block that is split comes next.
    for (llvm::BasicBlock& block : function) {
      auto at = block.begin();
      for (unsigned i = 0; i < tuning().block_instructions && at != block.end(); ++i) ++at;
      while (at != block.end() && llvm::isa<llvm::PHINode, llvm::AllocaInst>(*at)) ++at;
      if (at != block.end() && !at->isTerminator()) block.splitBasicBlock(at);
    }
    return llvm::PreservedAnalyses::none();
  }
};

// Enough for code that runs a small part of the time.
FunctionPassManager make_little_simplification() {
  FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

// Gives each function the passes for its kind.
struct ByKind : llvm::PassInfoMixin<ByKind> {
  FunctionPassManager ordinary, packets, cold;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    return passes_for(function).run(function, analyses);
  }

 private:
  FunctionPassManager& passes_for(const llvm::Function& function) {
    if (function.hasFnAttribute(llvm::Attribute::Cold)) return cold;
    return function.hasFnAttribute(kInPackets) ? packets : ordinary;
  }
};

ByKind make_simplifications() {
  ByKind passes;
  passes.ordinary = make_simplification();
  passes.packets = make_simplification();
  passes.cold = make_little_simplification();
  return passes;
}

ByKind make_vectorizations() {
  ByKind passes;
  passes.ordinary = make_vectorization(/*is_in_packets=*/false);
  passes.packets = make_vectorization(/*is_in_packets=*/true);
  return passes;
}

}  // namespace

llvm::ModulePassManager make_joining_passes() {
  llvm::ModulePassManager passes;
  // Parts of a program share its module: what belongs to the others goes first.
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::DeadArgumentEliminationPass());
  return passes;
}

llvm::ModulePassManager make_quick_pipeline() {
  FunctionPassManager simplification;
  simplification.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  simplification.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  simplification.addPass(llvm::SimplifyCFGPass());
  simplification.addPass(SplitLongBlocks());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplification)));
  return passes;
}

llvm::ModulePassManager make_cpu_pipeline(Effort effort) {
  llvm::ModulePassManager passes;
  llvm::ModuleInlinerWrapperPass inliner(
      // A round function of a hash becomes part of the loop around it, where what is the same for
      // all inputs needs no calculation.
      effort == Effort::kMost ? llvm::getInlineParams(static_cast<int>(tuning().inline_threshold))
                              : llvm::getInlineParams(/*OptLevel=*/3, /*SizeOptLevel=*/0));
  inliner.getPM().addPass(llvm::PostOrderFunctionAttrsPass());
  inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(make_simplifications()));
  passes.addPass(std::move(inliner));
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(make_vectorizations()));
  return passes;
}

}  // namespace conclave::compiler
