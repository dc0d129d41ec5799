// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/cpu_pipeline.h"

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
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include "compiler/base/attributes.h"
#include "compiler/base/tuning.h"
#include "compiler/codegen/freeze_wrapping_indices.h"
#include "compiler/codegen/limited_passes.h"
#include "compiler/codegen/order_chains.h"
#include "compiler/codegen/ordered_iterations.h"
#include "compiler/x86/aligned_spills.h"
#include "compiler/x86/bit_counts.h"
#include "compiler/x86/lane_addresses.h"
#include "compiler/x86/lower_half.h"
#include "compiler/x86/reloaded_splats.h"
#include "compiler/x86/shared_comparisons.h"
#include "compiler/x86/wide_masks.h"

namespace conclave::compiler {
namespace {

using llvm::FunctionPassManager;
using llvm::LoopPassManager;

constexpr int kUnrollLevel = 3;

// The brief way leaves out passes without which packets were seen to be as fast, and takes cheaper ones:
// packets are made of code that was simplified before.
enum class Way { kUsual, kBrief };

template <class Passes, class Pass>
void add_unless_brief(Way way, Passes& passes, Pass pass) {
  if (way != Way::kBrief) passes.addPass(std::move(pass));
}

// Turns loops into the form that the vectorizer wants, and takes out of them what is the same for
// all work-items.
LoopPassManager make_invariant_code_passes(Way way) {
  LoopPassManager passes;
  add_unless_brief(way, passes, llvm::LoopInstSimplifyPass());
  passes.addPass(llvm::LoopSimplifyCFGPass());
  passes.addPass(llvm::LoopRotatePass());
  passes.addPass(llvm::LICMPass(llvm::LICMOptions()));
  if (tuning().keep_outer_loops)
    passes.addPass(UnswitchInnerLoops());
  else
    passes.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/true));
  return passes;
}

LoopPassManager make_counting_passes(Way way) {
  LoopPassManager passes;
  add_unless_brief(way, passes, llvm::LoopIdiomRecognizePass());
  add_unless_brief(way, passes, llvm::IndVarSimplifyPass());
  add_unless_brief(way, passes, llvm::LoopDeletionPass());
  passes.addPass(ReleaseShortLoops());
  passes.addPass(llvm::LoopFullUnrollPass(kUnrollLevel));
  return passes;
}

FunctionPassManager make_simplification(Way way) {
  FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ReassociatePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(make_invariant_code_passes(way),
                                                       /*UseMemorySSA=*/true));
  add_unless_brief(way, passes, llvm::SimplifyCFGPass());
  add_unless_brief(way, passes, llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(make_counting_passes(way),
                                                       /*UseMemorySSA=*/false));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  if (way == Way::kBrief)
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  else
    passes.addPass(llvm::GVNPass());
  add_unless_brief(way, passes, llvm::CorrelatedValuePropagationPass());
  add_unless_brief(way, passes, llvm::BDCEPass());
  passes.addPass(llvm::MemCpyOptPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass(
      llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true)));
  add_unless_brief(way, passes, llvm::InstCombinePass());
  return passes;
}

// By counts that are known at run time only in tasks alone: inner loops of other kernels are often short, and the
// remainder is one more branch that is predicted wrong.
struct UnrollLoops : llvm::PassInfoMixin<UnrollLoops> {
  bool sees_tasks;

  explicit UnrollLoops(bool with_tasks) : sees_tasks(with_tasks) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    const bool by_any_count = sees_tasks && function.hasFnAttribute(kTask);
    llvm::LoopUnrollPass unroll(llvm::LoopUnrollOptions(kUnrollLevel).setRuntime(by_any_count));
    return unroll.run(function, analyses);
  }
};

FunctionPassManager make_vectorization(bool has_vectorizers, Way way) {
  FunctionPassManager passes;
  if (has_vectorizers) {
    passes.addPass(FreezeWrappingIndices());
    passes.addPass(OrderedIterations());
    passes.addPass(VectorizeLoops());
    if (tuning().forward_stores) passes.addPass(ForwardStores());
  }
  passes.addPass(llvm::InferAlignmentPass());
  add_unless_brief(way, passes, llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .forwardSwitchCondToPhi(true)
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)
                                           .hoistCommonInsts(true)
                                           .sinkCommonInsts(true)));
  if (has_vectorizers) passes.addPass(llvm::SLPVectorizerPass());
  passes.addPass(llvm::VectorCombinePass());
  passes.addPass(UnrollLoops(/*with_tasks=*/has_vectorizers));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  add_unless_brief(way, passes, llvm::InstSimplifyPass());
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

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
  FunctionPassManager ordinary, packets, for_now, cold;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    return passes_for(function).run(function, analyses);
  }

 private:
  FunctionPassManager& passes_for(const llvm::Function& function) {
    if (function.hasFnAttribute(llvm::Attribute::Cold)) return cold;
    if (function.hasFnAttribute(kForNow)) return for_now;
    return function.hasFnAttribute(kInPackets) ? packets : ordinary;
  }
};

ByKind make_simplifications(Way packets) {
  ByKind passes;
  passes.ordinary = make_simplification(Way::kUsual);
  passes.packets = make_simplification(packets);
  passes.for_now = make_simplification(Way::kUsual);
  passes.cold = make_little_simplification();
  return passes;
}

// LLVM's vectorizers leave packets alone, and what has its packets later.
ByKind make_vectorizations(Way packets) {
  ByKind passes;
  passes.ordinary = make_vectorization(/*has_vectorizers=*/true, Way::kUsual);
  passes.packets = make_vectorization(/*has_vectorizers=*/false, packets);
  passes.for_now = make_vectorization(/*has_vectorizers=*/false, Way::kUsual);
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
  simplification.addPass(RemoveRepeatedCode());
  simplification.addPass(llvm::SimplifyCFGPass());
  simplification.addPass(SplitLongBlocks(tuning().block_instructions));
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplification)));
  return passes;
}

llvm::ModulePassManager make_cpu_pipeline(Effort effort) {
  llvm::ModulePassManager passes;
  const Way packets = effort == Effort::kFirst ? Way::kBrief : Way::kUsual;
  llvm::ModuleInlinerWrapperPass inliner(
      // A round function of a hash becomes part of the loop around it, where what is the same for
      // all inputs needs no calculation.
      effort == Effort::kMost ? llvm::getInlineParams(static_cast<int>(tuning().inline_threshold))
                              : llvm::getInlineParams(/*OptLevel=*/3, /*SizeOptLevel=*/0));
  inliner.getPM().addPass(llvm::PostOrderFunctionAttrsPass());
  inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(make_simplifications(packets)));
  passes.addPass(std::move(inliner));
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(make_vectorizations(packets)));
  return passes;
}

llvm::ModulePassManager make_last_passes(const Target& target) {
  llvm::FunctionPassManager passes;
  const TargetModel& cpu = target.model();
  if (cpu.has_mask_registers && tuning().shared_comparisons) passes.addPass(ShareComparisons());
  if (!cpu.has_mask_registers && tuning().wide_masks) passes.addPass(WidenLaneMasks());
  if (cpu.counts_bits_by_table && tuning().bit_counts) passes.addPass(CountBitsByTable());
  // Addresses take two steps to leave a register of 512 bits; from those of AVX2 the pass earns nothing.
  if (cpu.has_mask_registers && tuning().split_gathers) passes.addPass(SplitGathers());
  if (cpu.has_mask_registers && tuning().reloaded_splats)
    passes.addPass(ReloadSplats(cpu.vector_registers));
  if (tuning().aligned_spills) passes.addPass(AlignSpills());
  passes.addPass(SplitLongBlocks(tuning().generated_block_instructions));
  if (tuning().ordered_chains) passes.addPass(OrderChains());
  llvm::ModulePassManager all;
  all.addPass(LowerHalf(cpu));
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  return all;
}

}  // namespace conclave::compiler
