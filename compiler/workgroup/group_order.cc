// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/group_order.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <set>
#include <utility>

#include "compiler/base/address_spaces.h"
#include "compiler/workgroup/known_calls.h"

namespace conclave::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using Functions = std::set<std::pair<const Function*, bool>>;

// Whether the instruction could see what another group has done meanwhile. `result_matters`: that
// of its function.
bool looks_at_others(const Instruction& instruction, bool result_matters) {
  if (llvm::isa<llvm::FenceInst>(instruction)) return true;
  if (!instruction.isAtomic() && !instruction.isVolatile()) return false;
  if (!is_asked_for(instruction, result_matters)) return false;
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    pointer = change->getPointerOperand();
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    pointer = exchange->getPointerOperand();
  if (!pointer) return false;  // a volatile copy
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  return space == kGlobalAddressSpace || space == kGenericAddressSpace;
}

// `seen`: functions that need no second look.
bool calls_look_at_others(const Instruction& instruction, Functions& seen) {
  const Function* callee = known_callee(instruction);
  if (!callee) return false;
  const bool result_matters = !instruction.use_empty();
  if (!seen.insert({callee, result_matters}).second) return false;
  return llvm::any_of(llvm::instructions(*callee), [&](const Instruction& inner) {
    return looks_at_others(inner, result_matters) || calls_look_at_others(inner, seen);
  });
}

}  // namespace

bool may_wait_for_groups(const RegionedKernel& kernel) {
  // A loop with a barrier in it is no loop of any region.
  const bool repeats_regions = kernel.regions.size() > 1;
  for (const Region& region : kernel.regions) {
    llvm::DominatorTree dominators(*region.function);
    const llvm::LoopInfo loops(dominators);
    for (const Instruction& instruction : llvm::instructions(*region.function)) {
      Functions seen;
      if (calls_look_at_others(instruction, seen)) return true;
      if (looks_at_others(instruction, true) &&
          (repeats_regions || loops.getLoopFor(instruction.getParent())))
        return true;
    }
  }
  return false;
}

}  // namespace conclave::compiler
