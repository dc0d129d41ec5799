// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/pair_sines.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <utility>

namespace conclave::compiler {
namespace {

enum class Kind { kSine, kCosine, kBarrier, kOther };

Kind kind_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (!call) return Kind::kOther;
  const llvm::Function* callee = call->getCalledFunction();
  // What has a body is the program's own.
  if (callee && callee->isDeclaration() && callee->getName() == "_Z3sinf") return Kind::kSine;
  if (callee && callee->isDeclaration() && callee->getName() == "_Z3cosf") return Kind::kCosine;
  return call->isConvergent() ? Kind::kBarrier : Kind::kOther;
}

// A sine and a cosine of the same number in one block, the first one first.
using Pair = std::pair<llvm::CallInst*, llvm::CallInst*>;

llvm::SmallVector<Pair> find_pairs(llvm::BasicBlock& block) {
  llvm::SmallVector<Pair> pairs;
  llvm::DenseMap<llvm::Value*, llvm::CallInst*> single;  // by the argument
  for (llvm::Instruction& instruction : block) {
    const Kind kind = kind_of(instruction);
    if (kind == Kind::kBarrier) single.clear();
    if (kind != Kind::kSine && kind != Kind::kCosine) continue;
    auto* call = llvm::cast<llvm::CallInst>(&instruction);
    const auto [first, is_first] = single.try_emplace(call->getArgOperand(0), call);
    if (is_first || kind_of(*first->second) == kind) continue;
    pairs.emplace_back(first->second, call);
    single.erase(first);
  }
  return pairs;
}

void calculate_together(const Pair& pair) {
  llvm::IRBuilder<> builder(pair.first);
  llvm::Module& module = *pair.first->getModule();
  auto* both_type = llvm::FixedVectorType::get(builder.getFloatTy(), 2);
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      "__conclave_sine_and_cosine",
      llvm::FunctionType::get(both_type, {builder.getFloatTy()}, /*isVarArg=*/false),
      pair.first->getCalledFunction()->getAttributes());
  llvm::cast<llvm::Function>(callee.getCallee())->setCallingConv(pair.first->getCallingConv());
  llvm::CallInst* both = builder.CreateCall(callee, {pair.first->getArgOperand(0)});
  both->setCallingConv(pair.first->getCallingConv());
  both->setAttributes(pair.first->getAttributes());
  llvm::Value* sine = builder.CreateExtractElement(both, uint64_t{0});
  llvm::Value* cosine = builder.CreateExtractElement(both, uint64_t{1});
  for (llvm::CallInst* call : {pair.first, pair.second}) {
    call->replaceAllUsesWith(kind_of(*call) == Kind::kSine ? sine : cosine);
    call->eraseFromParent();
  }
}

}  // namespace

llvm::PreservedAnalyses PairSines::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool is_changed = false;
  for (llvm::BasicBlock& block : function) {
    for (const Pair& pair : find_pairs(block)) {
      calculate_together(pair);
      is_changed = true;
    }
  }
  if (!is_changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace conclave::compiler
