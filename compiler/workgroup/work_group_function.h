// SPDX-License-Identifier: Apache-2.0
// Builds the function that runs work-groups of a kernel: abi::GroupFunction.
//
//   define void @kernel_k(%launch, %arguments, %workspace, %first, %count) {
//     load the launch's sizes and the kernel's arguments
//     (gx, gy, gz) = coordinates of group %first
//     do {
//       local size = min(enqueued size, what is left of the ND-range)
//       region.0: packet loops of region 0     ; then, by what it returned:
//       region.1: packet loops of region 1     ;   switch -> region i or group.end
//     group.end:
//       (gx, gy, gz) = coordinates of the next group
//     } while (--%count)
//   }
//
// Kernels that are indifferent to groups (group_rows.h) run several beside each other as one.
// Where a region can only be followed by one other there is no switch. With -cl-denorms-are-zero
// the function is an internal one, called by @kernel_k with the CPU's flush modes on: LLVM would
// move arithmetic across the change of mode within one function.
#ifndef CONCLAVE_COMPILER_WORKGROUP_WORK_GROUP_FUNCTION_H_
#define CONCLAVE_COMPILER_WORKGROUP_WORK_GROUP_FUNCTION_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Replaces each kernel by a function with the symbol that its information names.
struct EmitWorkGroupFunctions : llvm::PassInfoMixin<EmitWorkGroupFunctions> {
  bool flush_denormals;

  explicit EmitWorkGroupFunctions(bool flushes) : flush_denormals(flushes) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) const;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_WORK_GROUP_FUNCTION_H_
