// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/promote_private_memory.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/full_unroll.h"
#include "compiler/workgroup/prepare_module.h"
#include "compiler/workgroup/simplify.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

bool has_barrier(llvm::ArrayRef<const llvm::BasicBlock*> blocks) {
  return llvm::any_of(blocks, [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call && classify(*call) == WorkItemFunction::kBarrier;
    });
  });
}

bool has_barrier(const llvm::Function& kernel) {
  return llvm::any_of(kernel, [](const llvm::BasicBlock& block) { return has_barrier({&block}); });
}

bool has_variables(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), llvm::IsaPred<llvm::AllocaInst>);
}

bool is_private_variable(const llvm::Value* address) {
  return address->getType()->isPointerTy() &&
         llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

// The next call that gives an address of private memory away to a function of the program that still
// fits; null if there is none.
llvm::CallBase* find_call(llvm::Function& kernel) {
  const unsigned size = kernel.getInstructionCount();
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && llvm::any_of(call->args(), is_private_variable) &&
        size + callee->getInstructionCount() <= tuning().promoted_instructions)
      return call;
  }
  return nullptr;
}

bool inline_users(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  bool changed = false;
  while (llvm::CallBase* call = find_call(kernel)) {
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess()) break;
    changed = true;
  }
  if (changed) analyses.invalidate(kernel, llvm::PreservedAnalyses::none());
  return changed;
}

// Whether the iterations of a loop access different places of a private variable.
bool indexes_variable(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& instruction : *block) {
      const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      if (!address || !is_private_variable(address)) continue;
      const llvm::SCEV* place = evolution.getSCEV(const_cast<llvm::Value*>(address));
      if (!evolution.isLoopInvariant(place, &loop)) return true;
    }
  return false;
}

bool unroll_users(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  return unroll_fully(
      kernel, analyses, UnrollOrder::kInnerFirst,
      [&](const llvm::Loop& loop, unsigned iterations, llvm::ScalarEvolution& evolution) {
        uint64_t body = 0;
        for (const llvm::BasicBlock* block : loop.blocks()) body += block->size();
        // Unrolling barriers multiplies the regions: that is for specialised code alone.
        return iterations <= tuning().promoted_iterations && !has_barrier(loop.getBlocks()) &&
               kernel.getInstructionCount() + body * (iterations - 1) <=
                   tuning().promoted_instructions &&
               indexes_variable(loop, evolution);
      });
}

bool is_only_accessed(const llvm::AllocaInst& variable) {
  return llvm::all_of(variable.users(), [&](const llvm::User* user) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    return llvm::isa<llvm::LoadInst>(user) || (store && store->getPointerOperand() == &variable) ||
           llvm::isa<llvm::LifetimeIntrinsic>(user);
  });
}

// Nobody else sees the accesses to a private variable whose address goes nowhere. Programs make
// integers volatile so that compilers for GPUs do not keep them in registers. Real numbers stay
// volatile: that may be to round them.
bool relax_volatile_integers(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || !variable->getAllocatedType()->isIntegerTy() || !is_only_accessed(*variable))
      continue;
    for (llvm::User* user : variable->users()) {
      changed |= llvm::cast<llvm::Instruction>(user)->isVolatile();
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) load->setVolatile(false);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) store->setVolatile(false);
    }
  }
  return changed;
}

// Simplification looks at arrays before it makes indices constant, so it is done again.
void promote(llvm::Function& kernel, llvm::FunctionAnalysisManager& analyses) {
  for (bool changed = true; changed && has_variables(kernel);) {
    simplify(kernel, analyses);
    changed = inline_users(kernel, analyses);
    if (changed) simplify(kernel, analyses);
    if (unroll_users(kernel, analyses)) {
      simplify(kernel, analyses);
      changed = true;
    }
  }
}

}  // namespace

llvm::PreservedAnalyses PromotePrivateMemory::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager& analyses) {
  auto& functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && relax_volatile_integers(function))
      simplify(function, functions);
  for (llvm::Function* kernel : find_kernels(module))
    if (has_barrier(*kernel)) promote(*kernel, functions);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
