// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/simplify.h"

#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/base/address_spaces.h"
#include "compiler/base/crowded_variables.h"
#include "compiler/base/region.h"
#include "compiler/workgroup/unroll_barrier_loops.h"

namespace conclave::compiler {
namespace {

struct CombineUnlessCrowded : llvm::PassInfoMixin<CombineUnlessCrowded> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses) {
    if (has_crowded_variable(function)) return llvm::PreservedAnalyses::all();
    return llvm::InstCombinePass().run(function, analyses);
  }
};

}  // namespace

Simplify::Simplify() {
  passes_.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes_.addPass(llvm::InferAddressSpacesPass(kGenericAddressSpace));
  passes_.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes_.addPass(llvm::SimplifyCFGPass());
  passes_.addPass(CombineUnlessCrowded());
  passes_.addPass(llvm::SimplifyCFGPass());
}

llvm::PreservedAnalyses UnrollAndSimplify::run(llvm::Function& kernel,
                                               llvm::FunctionAnalysisManager& analyses) {
  if (!is_kernel(kernel)) return llvm::PreservedAnalyses::all();
  const llvm::PreservedAnalyses kept = UnrollBarrierLoops().run(kernel, analyses);
  if (!kept.areAllPreserved()) Simplify().run(kernel, analyses);
  return llvm::PreservedAnalyses::none();
}

void simplify(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  Simplify().run(function, analyses);
  analyses.clear(function, function.getName());
}

}  // namespace conclave::compiler
