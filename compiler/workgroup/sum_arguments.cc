// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/sum_arguments.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "compiler/base/attributes.h"
#include "compiler/workgroup/known_calls.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

using Functions = llvm::SmallPtrSet<const llvm::Function*, 8>;

bool is_ordered(const llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return isStrongerThanMonotonic(load->getOrdering());
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return isStrongerThanMonotonic(store->getOrdering());
  if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return isStrongerThanMonotonic(change->getOrdering());
  return llvm::isa<llvm::FenceInst, llvm::AtomicCmpXchgInst>(instruction);
}

// Whether a function, or one that it calls, has a fence or an access that others are ordered by.
// `seen`: functions that need no second look.
bool orders_accesses(const llvm::Function& function, Functions& seen) {
  return seen.insert(&function).second &&
         llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
           const llvm::Function* callee = known_callee(instruction);
           return is_ordered(instruction) || (callee && orders_accesses(*callee, seen));
         });
}

// The additions that memory is accessed by.
class Additions {
 public:
  // Whether all that is done with the pointer is to add to integers of one size there.
  bool are_all_uses(const llvm::Value& pointer, bool result_matters) {
    return llvm::all_of(pointer.uses(), [&](const llvm::Use& use) {
      const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
      if (llvm::isa<llvm::GetElementPtrInst>(user)) return are_all_uses(user, result_matters);
      if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&user))
        return use.getOperandNo() == 0 && is_addition(*change, result_matters);
      const llvm::Function* callee = known_callee(user);
      auto* call = llvm::dyn_cast<llvm::CallBase>(&user);
      return callee && call->isArgOperand(&use) && depth_++ < kMostCalls &&
             are_all_uses(*callee->getArg(call->getArgOperandNo(&use)), !call->use_empty());
    });
  }
  // The size of these integers; 0 if nothing is added.
  unsigned bytes() const { return bytes_; }

 private:
  static constexpr unsigned kMostCalls = 100;

  bool is_addition(const llvm::AtomicRMWInst& change, bool result_matters) {
    const auto operation = change.getOperation();
    const bool adds =
        operation == llvm::AtomicRMWInst::Add || operation == llvm::AtomicRMWInst::Sub;
    const unsigned bytes =
        change.getType()->isIntegerTy() ? change.getType()->getIntegerBitWidth() / 8 : 0;
    if (!adds || is_asked_for(change, result_matters) || (bytes != 4 && bytes != 8) ||
        (bytes_ != 0 && bytes_ != bytes))
      return false;
    bytes_ = bytes;
    return true;
  }

  unsigned bytes_ = 0, depth_ = 0;
};

bool is_sum_parameter(const llvm::Argument& parameter) {
  return parameter.getParent()->getAttributes().hasParamAttr(parameter.getArgNo(), kSumAttribute);
}

bool is_sum(const llvm::AtomicRMWInst& change) {
  auto* argument =
      llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(change.getPointerOperand()));
  return argument && is_sum_parameter(*argument);
}

// Nothing else in the kernel accesses that memory or is ordered by it, so the additions of a block
// can all be done at its end.
void lower_sums(llvm::BasicBlock& block) {
  llvm::SmallVector<llvm::AtomicRMWInst*> sums;
  for (llvm::Instruction& instruction : block)
    if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction); change && is_sum(*change))
      sums.push_back(change);
  if (sums.empty()) return;
  llvm::Instruction* end = block.getTerminator();
  llvm::IRBuilder<> builder(end);
  llvm::Value* are_private = is_fact(builder, abi::kHasPrivateSums);
  llvm::Instruction *plain = nullptr, *atomic = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(are_private, end->getIterator(), &plain, &atomic);
  for (llvm::AtomicRMWInst* sum : sums) {
    // Packets collect all results, though nobody asks for them.
    sum->replaceAllUsesWith(llvm::PoisonValue::get(sum->getType()));
    auto* copy = llvm::cast<llvm::AtomicRMWInst>(sum->clone());
    copy->insertBefore(plain);
    copy->setVolatile(false);
    llvm::lowerAtomicRMWInst(copy);
    sum->moveBefore(atomic);
  }
}

}  // namespace

void note_sum_arguments(const RegionedKernel& kernel, KernelInfo& info) {
  const auto attribute =
      llvm::Attribute::get(kernel.regions[0].function->getContext(), kSumAttribute);
  Functions seen;
  for (const Region& region : kernel.regions)
    if (orders_accesses(*region.function, seen)) return;
  for (size_t i = 0; i < info.arguments.size(); ++i) {
    ArgumentInfo& argument = info.arguments[i];
    if (argument.kind != ArgumentKind::kPointer || argument.address != CL_KERNEL_ARG_ADDRESS_GLOBAL)
      continue;
    Additions additions;
    const bool adds_only = llvm::all_of(kernel.regions, [&](const Region& region) {
      const auto parameter = static_cast<unsigned>(kKernelArguments + i);
      return additions.are_all_uses(*region.function->getArg(parameter), true);
    });
    if (!adds_only || additions.bytes() == 0) continue;
    argument.sum_bytes = additions.bytes();
    for (const Region& region : kernel.regions)
      region.function->addParamAttr(static_cast<unsigned>(kKernelArguments + i), attribute);
  }
}

llvm::PreservedAnalyses LowerSums::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module) {
    if (!is_region(function) || llvm::none_of(function.args(), is_sum_parameter)) continue;
    llvm::SmallVector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& block : function) blocks.push_back(&block);
    for (llvm::BasicBlock* block : blocks) lower_sums(*block);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
