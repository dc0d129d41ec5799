// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/simplifier.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/base/address_spaces.h"
#include "compiler/base/analyses.h"
#include "compiler/workgroup/unroll_barrier_loops.h"

namespace conclave::compiler {

struct Simplifier::Passes {
  llvm::PassBuilder builder;
  Analyses analyses;
  llvm::TargetLibraryInfoImpl no_library;
  llvm::FunctionPassManager simplification;

  explicit Passes(const llvm::Triple& triple) : no_library(triple) {
    // OpenCL C has no C library; a function of the program is what it says and nothing else.
    no_library.disableAllFunctions();
    analyses.function.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library); });
    analyses.add_all(builder);
    simplification.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    simplification.addPass(llvm::InferAddressSpacesPass(kGenericAddressSpace));
    simplification.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    simplification.addPass(llvm::SimplifyCFGPass());
    simplification.addPass(llvm::InstCombinePass());
    simplification.addPass(llvm::SimplifyCFGPass());
  }

  void simplify(llvm::Function& function) { simplification.run(function, analyses.function); }

  // Others than these passes change the function next.
  void forget(llvm::Function& function) { analyses.function.clear(function, function.getName()); }
};

Simplifier::Simplifier(const llvm::Module& module)
    : passes_(std::make_unique<Passes>(llvm::Triple(module.getTargetTriple()))) {}

Simplifier::~Simplifier() = default;

void Simplifier::run(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) run(function);
}

void Simplifier::run(llvm::Function& function) {
  passes_->simplify(function);
  passes_->forget(function);
}

void Simplifier::scalarize(llvm::Function& function) {
  llvm::ScalarizerPass().run(function, passes_->analyses.function);
  passes_->forget(function);
}

void Simplifier::unroll_barrier_loops(llvm::Function& kernel) {
  llvm::FunctionAnalysisManager& analyses = passes_->analyses.function;
  llvm::FunctionPassManager preparation;
  preparation.addPass(llvm::LoopSimplifyPass());
  preparation.addPass(llvm::LCSSAPass());
  preparation.run(kernel, analyses);
  const llvm::PreservedAnalyses kept = UnrollBarrierLoops().run(kernel, analyses);
  analyses.invalidate(kernel, kept);
  if (!kept.areAllPreserved()) passes_->simplify(kernel);
  passes_->forget(kernel);
}

}  // namespace conclave::compiler
