// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/row_reuse.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {
namespace {

using llvm::Value;

bool is_in_turn(const llvm::Instruction& access, const Shapes& shapes) {
  auto* type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
  const auto size = static_cast<int64_t>(access.getDataLayout().getTypeAllocSize(type));
  const auto stride = shapes.stride(llvm::getLoadStorePointerOperand(&access));
  return stride && *stride >= 0 && *stride <= size;
}

}  // namespace

bool rows_may_share_lines(llvm::Function& region, const LaneIds& lanes) {
  const llvm::DominatorTree dominators(region);
  if (!llvm::LoopInfo(dominators).empty()) return true;
  const LaneStrides no_strides;
  const Shapes shapes(region, lanes, no_strides, tuning().max_usual_lanes);
  llvm::SmallPtrSet<const Value*, 8> read;
  return llvm::any_of(llvm::instructions(region), [&](const llvm::Instruction& instruction) {
    if (const Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
      const bool is_load = llvm::isa<llvm::LoadInst>(instruction);
      const bool is_again = is_load && !read.insert(llvm::getUnderlyingObject(pointer)).second;
      return is_again || !is_in_turn(instruction, shapes);
    }
    return instruction.mayReadOrWriteMemory() && !instruction.isDebugOrPseudoInst() &&
           !llvm::isa<llvm::AssumeInst>(instruction);
  });
}

}  // namespace conclave::compiler
