// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/aligned_spills.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>

namespace conclave::compiler {
namespace {

constexpr unsigned kAlignedBits = 128;  // by the ABI

bool is_wide(const llvm::Instruction& instruction) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  return vector && vector->getNumElements() * vector->getScalarSizeInBits() > kAlignedBits;
}

}  // namespace

llvm::PreservedAnalyses AlignSpills::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  if (llvm::any_of(llvm::instructions(function), is_wide)) function.addFnAttr("stackrealign");
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
