// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/work_item_functions.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/base/region.h"
#include "compiler/vectorizer/analysis/lane_operations.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

// Builds the values inside of one region function.
class Lowering {
 public:
  explicit Lowering(llvm::Function& region) : region_(region) {}

  void lower(llvm::CallInst& call, WorkItemFunction function) {
    IRBuilder<> builder(&call);
    Value* value = index_value(builder, call, function);
    if (call.getType()->isIntegerTy()) value = builder.CreateZExtOrTrunc(value, call.getType());
    call.replaceAllUsesWith(value);
    call.eraseFromParent();
  }

 private:
  Value* parameter(unsigned first, unsigned dimension) { return region_.getArg(first + dimension); }

  Value* launch_array(IRBuilder<>& builder, uint64_t offset, unsigned dimension) {
    return load_from_launch(builder, builder.getInt64Ty(), offset + dimension * sizeof(uint64_t));
  }

  Value* value_of(IRBuilder<>& builder, WorkItemFunction function, unsigned dimension) {
    switch (function) {
      case WorkItemFunction::kGlobalSize:
        return launch_array(builder, offsetof(abi::Launch, global_size), dimension);
      case WorkItemFunction::kGlobalId:
        return builder.CreateAdd(parameter(kGlobalBase, dimension), parameter(kLocalId, dimension));
      case WorkItemFunction::kLocalSize:
        return parameter(kLocalSize, dimension);
      case WorkItemFunction::kEnqueuedLocalSize:
        return launch_array(builder, offsetof(abi::Launch, local_size), dimension);
      case WorkItemFunction::kLocalId:
        return parameter(kLocalId, dimension);
      case WorkItemFunction::kNumGroups:
        return launch_array(builder, offsetof(abi::Launch, num_groups), dimension);
      case WorkItemFunction::kGroupId:
        return parameter(kGroupId, dimension);
      default:
        return launch_array(builder, offsetof(abi::Launch, global_offset), dimension);
    }
  }

  // ((z - oz) * sy + (y - oy)) * sx + (x - ox)
  Value* global_linear_id(IRBuilder<>& builder) {
    Value* result = builder.getInt64(0);
    for (int d = 2; d >= 0; --d) {
      Value* size = value_of(builder, WorkItemFunction::kGlobalSize, d);
      Value* offset = value_of(builder, WorkItemFunction::kGlobalOffset, d);
      Value* id = value_of(builder, WorkItemFunction::kGlobalId, d);
      result = builder.CreateAdd(builder.CreateMul(result, size), builder.CreateSub(id, offset));
    }
    return result;
  }

  Value* address_ranges(IRBuilder<>& builder) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), region_.getArg(kLocalMemory),
                                              -int64_t{abi::kBlockAlignment});
  }

  // Functions that call nothing may use 128 bytes below the stack pointer (System V ABI).
  static Value* stack_begin(IRBuilder<>& builder) {
    Value* pointer = builder.CreateStackSave();
    return builder.CreateSub(builder.CreatePtrToInt(pointer, builder.getInt64Ty()),
                             builder.getInt64(128));
  }

  // Returns the value that the specification wants for dimensions that do not exist.
  static uint64_t value_out_of_range(WorkItemFunction function) {
    switch (function) {
      case WorkItemFunction::kGlobalSize:
      case WorkItemFunction::kLocalSize:
      case WorkItemFunction::kEnqueuedLocalSize:
      case WorkItemFunction::kNumGroups:
        return 1;
      default:
        return 0;
    }
  }

  Value* index_value(IRBuilder<>& builder, llvm::CallInst& call, WorkItemFunction function) {
    if (function == WorkItemFunction::kWorkDim)
      return load_from_launch(builder, builder.getInt32Ty(), offsetof(abi::Launch, work_dim));
    if (function == WorkItemFunction::kGlobalLinearId) return global_linear_id(builder);
    if (function == WorkItemFunction::kLocalLinearId) return region_.getArg(kItem);
    if (function == WorkItemFunction::kAddressRanges) return address_ranges(builder);
    if (function == WorkItemFunction::kStackBegin) return stack_begin(builder);
    Value* dimension = call.getArgOperand(0);
    Value* otherwise = builder.getInt64(value_out_of_range(function));
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(dimension)) {
      if (constant->getValue().uge(3)) return otherwise;
      return value_of(builder, function, static_cast<unsigned>(constant->getZExtValue()));
    }
    Value* result = otherwise;
    for (unsigned d = 0; d < 3; ++d) {
      Value* is_d =
          builder.CreateICmpEQ(dimension, llvm::ConstantInt::get(dimension->getType(), d));
      result = builder.CreateSelect(is_d, value_of(builder, function, d), result);
    }
    return result;
  }

  llvm::Function& region_;
};

}  // namespace

WorkItemFunction classify(const llvm::Function* function) {
  if (!function) return WorkItemFunction::kNone;
  using enum WorkItemFunction;
  if (is_lane_operation(*function)) return kSubGroup;
  return llvm::StringSwitch<WorkItemFunction>(function->getName())
      .Case("_Z12get_work_dimv", kWorkDim)
      .Case("_Z15get_global_sizej", kGlobalSize)
      .Case("_Z13get_global_idj", kGlobalId)
      .Case("_Z14get_local_sizej", kLocalSize)
      .Case("_Z23get_enqueued_local_sizej", kEnqueuedLocalSize)
      .Case("_Z12get_local_idj", kLocalId)
      .Case("_Z14get_num_groupsj", kNumGroups)
      .Case("_Z12get_group_idj", kGroupId)
      .Case("_Z17get_global_offsetj", kGlobalOffset)
      .Case("_Z20get_global_linear_idv", kGlobalLinearId)
      .Case("_Z19get_local_linear_idv", kLocalLinearId)
      .Case("conclave.address_ranges", kAddressRanges)
      .Case("conclave.stack_begin", kStackBegin)
      .Cases("_Z7barrierj", "_Z18work_group_barrierj", "_Z18work_group_barrierj12memory_scope",
             kBarrier)
      .Case("printf", kPrintf)
      .Default(kNone);
}

WorkItemFunction classify(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() ? classify(callee) : WorkItemFunction::kNone;
}

bool is_index_function(WorkItemFunction function) {
  return function >= WorkItemFunction::kWorkDim && function <= WorkItemFunction::kStackBegin;
}

bool differs_between_work_items(WorkItemFunction function) {
  using enum WorkItemFunction;
  return function == kGlobalId || function == kLocalId || function == kGlobalLinearId ||
         function == kLocalLinearId || function == kSubGroup;
}

bool tells_work_items_apart(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && differs_between_work_items(classify(*call));
  });
}

llvm::PreservedAnalyses LowerWorkItemFunctions::run(llvm::Function& region,
                                                    llvm::FunctionAnalysisManager&) {
  if (!is_region(region)) return llvm::PreservedAnalyses::all();
  Lowering lowering(region);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(region))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call) continue;
    WorkItemFunction function = classify(*call);
    if (is_index_function(function)) lowering.lower(*call, function);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
