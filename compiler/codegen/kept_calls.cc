// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/kept_calls.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/base/tuning.h"
#include "compiler/codegen/code_size.h"

namespace conclave::compiler {
namespace {

// Calls of smaller functions without branches are hardly less code than what they do.
constexpr uint64_t kLeastInstructions = 50;

using Sites = llvm::SmallVector<llvm::CallBase*, 4>;

llvm::MapVector<const llvm::Function*, Sites> calls_in(llvm::Function& caller) {
  llvm::MapVector<const llvm::Function*, Sites> calls;
  for (llvm::Instruction& instruction : llvm::instructions(caller)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && !call->hasFnAttr(llvm::Attribute::AlwaysInline))
      calls[callee].push_back(call);
  }
  return calls;
}

}  // namespace

llvm::PreservedAnalyses KeepRepeatedCalls::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  InlinedSizes sizes;
  for (llvm::Function& caller : module) {
    for (auto& [callee, sites] : calls_in(caller)) {
      const uint64_t size = sizes.of(*callee);
      // One of them may take the function's own place.
      if ((callee->size() == 1 && size < kLeastInstructions) ||
          (sites.size() - 1) * size <= tuning().inlined_copies)
        continue;
      for (llvm::CallBase* call : sites) call->addFnAttr(llvm::Attribute::NoInline);
    }
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
