// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/sub_groups.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/vectorizer/analysis/lane_operations.h"

namespace conclave::compiler {
namespace {

using llvm::Value;

template <class Replacement>
void replace_lane_operations(llvm::Function& function, Replacement replacement) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const LaneOperation operation = lane_operation(instruction);
    if (operation.kind == LaneOperation::kNone) continue;
    auto& call = llvm::cast<llvm::CallInst>(instruction);
    llvm::IRBuilder<> builder(&call);
    Value* value = replacement(builder, operation, call);
    if (!value) continue;
    call.replaceAllUsesWith(value);
    call.eraseFromParent();
  }
}

Value* fixed_size(llvm::IRBuilder<>& builder, const LaneOperation& operation, llvm::CallInst& call,
                  const SubGroupSizes& sizes) {
  if (operation.kind == LaneOperation::kLanes) return builder.getInt32(sizes.lanes);
  if (operation.kind != LaneOperation::kMaxSize) return nullptr;
  Value* largest = builder.getInt32(sizes.largest);
  if (sizes.is_required) return largest;
  Value* fits =
      fit_sub_groups(builder, call.getArgOperand(0), call.getArgOperand(1), sizes.largest);
  return builder.CreateSelect(fits, largest, builder.getInt32(1));
}

// The result of a call in a sub-group that consists of this lane alone.
Value* single_result(llvm::IRBuilder<>& builder, const LaneOperation& operation,
                     llvm::CallInst& call) {
  switch (operation.kind) {
    case LaneOperation::kLane:
      return builder.getInt32(0);
    case LaneOperation::kBallot:
      return builder.CreateZExt(call.getArgOperand(0), call.getType());
    case LaneOperation::kExclusive:
      return identity(operation.combine, call.getType());
    default:
      return call.getArgOperand(0);
  }
}

}  // namespace

Value* fit_sub_groups(llvm::IRBuilder<>& builder, Value* row, Value* rows, unsigned lanes) {
  Value* rest = builder.CreateAnd(row, builder.getInt64(lanes - 1));
  return builder.CreateOr(builder.CreateICmpEQ(rows, builder.getInt64(1)),
                          builder.CreateICmpEQ(rest, builder.getInt64(0)));
}

// As if it wrote memory that is nobody else's: what it does depends on who runs it, so it can
// neither be moved nor be merged with its like.
void annotate_lane_operation(llvm::Function& declaration) {
  declaration.setConvergent();
  declaration.addFnAttr(llvm::Attribute::NoMerge);
  declaration.setDoesNotThrow();
  declaration.setWillReturn();
  declaration.setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
}

bool uses_sub_groups(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return lane_operation(instruction).kind != LaneOperation::kNone;
  });
}

llvm::PreservedAnalyses FixSubGroupSizes::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager&) const {
  replace_lane_operations(function, [&](auto& builder, const auto& operation, auto& call) {
    return fixed_size(builder, operation, call, sizes);
  });
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses LowerSingleSubGroups::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager&) {
  replace_lane_operations(function, single_result);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
