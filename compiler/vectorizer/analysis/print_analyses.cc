// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/print_analyses.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {
namespace {

void print(llvm::raw_ostream& out, const llvm::Value& value, bool divergent) {
  out << (divergent ? "; divergent: " : "; uniform: ") << value << "\n";
}

void print_uniformity(llvm::raw_ostream& out, llvm::Function& region, const LaneIds& ids) {
  const Uniformity uniformity(region, ids);
  out << "; uniformity of " << region.getName() << "\n";
  for (llvm::Argument& argument : region.args())
    print(out, argument, uniformity.is_divergent(argument));
  for (llvm::Instruction& instruction : llvm::instructions(region)) {
    if (instruction.isTerminator())
      print(out, instruction, uniformity.has_divergent_branch(*instruction.getParent()));
    else if (!instruction.getType()->isVoidTy())
      print(out, instruction, uniformity.is_divergent(instruction));
  }
}

}  // namespace

llvm::PreservedAnalyses PrintUniformity::run(llvm::Function& region,
                                             llvm::FunctionAnalysisManager& analyses) const {
  transform_lanes(region, analyses,
                  [&](const auto& ids, PartRemarks&) { print_uniformity(out, region, ids.lanes); });
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
