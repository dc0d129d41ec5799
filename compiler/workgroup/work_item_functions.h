// SPDX-License-Identifier: Apache-2.0
// The builtin functions that the work-group passes know by name, and their lowering.
//
// They stay opaque calls until regions are formed (and later vectorized), since their names say
// what no analysis could find out again: which value is the work-item's index.
#ifndef CONCLAVE_COMPILER_WORKGROUP_WORK_ITEM_FUNCTIONS_H_
#define CONCLAVE_COMPILER_WORKGROUP_WORK_ITEM_FUNCTIONS_H_

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

enum class WorkItemFunction {
  kNone,
  kWorkDim,
  kGlobalSize,
  kGlobalId,
  kLocalSize,
  kEnqueuedLocalSize,
  kLocalId,
  kNumGroups,
  kGroupId,
  kGlobalOffset,
  kGlobalLinearId,
  kLocalLinearId,
  kAddressRanges,  // the address of abi::AddressRanges
  kStackBegin,     // the lowest address on the stack
  kBarrier,        // of any kind and with any fence
  kPrintf,         // needs the launch
  kSubGroup,       // a lane operation: what sub-group functions are made of
};

// Tells by the (mangled) name.
WorkItemFunction classify(const llvm::Function* function);
WorkItemFunction classify(const llvm::CallBase& call);

// True for those that only tell the work-item where it, or its memory, is.
bool is_index_function(WorkItemFunction function);

// True for those that tell the work-items of a group different things.
bool differs_between_work_items(WorkItemFunction function);

// Whether a function calls one that tells the work-items of a group different things.
bool tells_work_items_apart(const llvm::Function& function);

// Replaces the calls in a region function by arithmetic on the region's hidden parameters:
//
//   %id = call i64 @_Z13get_global_idj(i32 0)   =>   %id = add i64 %base.0, %local.0
//
// A dimension that is no constant becomes a chain of selects.
struct LowerWorkItemFunctions : llvm::PassInfoMixin<LowerWorkItemFunctions> {
  static llvm::PreservedAnalyses run(llvm::Function& region, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_WORK_ITEM_FUNCTIONS_H_
