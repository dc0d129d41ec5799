// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu_pipeline.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
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

namespace conclave::compiler {
namespace {

using llvm::FunctionPassManager;
using llvm::LoopPassManager;

constexpr int kUnrollLevel = 3;

// Turns loops into the form that the vectorizer wants, and takes out of them what is the same for
// all work-items.
LoopPassManager make_invariant_code_passes() {
  LoopPassManager passes;
  passes.addPass(llvm::LoopInstSimplifyPass());
  passes.addPass(llvm::LoopSimplifyCFGPass());
  passes.addPass(llvm::LoopRotatePass());
  passes.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true));
  return passes;
}

LoopPassManager make_counting_passes() {
  LoopPassManager passes;
  passes.addPass(llvm::LoopIdiomRecognizePass());
  passes.addPass(llvm::IndVarSimplifyPass());
  passes.addPass(llvm::LoopDeletionPass());
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

FunctionPassManager make_vectorization() {
  FunctionPassManager passes;
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .forwardSwitchCondToPhi(true)
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)
                                           .hoistCommonInsts(true)
                                           .sinkCommonInsts(true)));
  passes.addPass(llvm::SLPVectorizerPass());
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
  static constexpr unsigned kMaxInstructions = 500;

  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    // The rest of a block that is split comes next.
    for (llvm::BasicBlock& block : function) {
      auto at = block.begin();
      for (unsigned i = 0; i < kMaxInstructions && at != block.end(); ++i) ++at;
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

// Runs other passes on cold functions.
struct ByTemperature : llvm::PassInfoMixin<ByTemperature> {
  FunctionPassManager hot, cold;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const bool is_cold = function.hasFnAttribute(llvm::Attribute::Cold);
    return (is_cold ? cold : hot).run(function, analyses);
  }
};

ByTemperature by_temperature(FunctionPassManager hot, FunctionPassManager cold) {
  ByTemperature passes;
  passes.hot = std::move(hot);
  passes.cold = std::move(cold);
  return passes;
}

}  // namespace

llvm::ModulePassManager make_joining_passes() {
  llvm::ModulePassManager passes;
  // Parts of a program share its module: what belongs to the others goes first.
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  passes.addPass(llvm::GlobalDCEPass());
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

llvm::ModulePassManager make_cpu_pipeline() {
  llvm::ModulePassManager passes;
  llvm::ModuleInlinerWrapperPass inliner(llvm::getInlineParams(/*OptLevel=*/3, /*SizeOptLevel=*/0));
  inliner.getPM().addPass(llvm::PostOrderFunctionAttrsPass());
  inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(
      by_temperature(make_simplification(), make_little_simplification())));
  passes.addPass(std::move(inliner));
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(
      by_temperature(make_vectorization(), FunctionPassManager())));
  return passes;
}

}  // namespace conclave::compiler
