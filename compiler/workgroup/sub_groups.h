// SPDX-License-Identifier: Apache-2.0
// Kernels that use sub-groups: how large these are in each form of a region.
//
//   packet form, remainder form    a sub-group is a packet of the kernel's lanes, or what is left
//   scalar form                    a work-item is a sub-group of its own
//
// All regions of a kernel have the same lanes. A work-group runs in packets if it has one row, or
// rows of whole packets, so that linear ids number sub-groups as they number work-items.
#ifndef CONCLAVE_COMPILER_WORKGROUP_SUB_GROUPS_H_
#define CONCLAVE_COMPILER_WORKGROUP_SUB_GROUPS_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

#include "compiler/base/region.h"

namespace conclave::compiler {

// Declarations of lane operations need their attributes before LLVM's passes see them.
void annotate_lane_operation(llvm::Function& declaration);

bool uses_sub_groups(const llvm::Function& function);

// Whether a group of so many rows of that length runs in packets: an i1.
llvm::Value* fit_sub_groups(llvm::IRBuilder<>& builder, llvm::Value* row, llvm::Value* rows,
                            unsigned lanes);

// Replaces what tells about sizes: `lanes` are those of the function, and `largest` those of the
// kernel's packets. Where the kernel requires them, get_max_sub_group_size returns them even in
// groups that do not run in packets.
struct SubGroupSizes {
  unsigned lanes;
  unsigned largest;
  bool is_required;
};
struct FixSubGroupSizes : llvm::PassInfoMixin<FixSubGroupSizes> {
  SubGroupSizes sizes;

  explicit FixSubGroupSizes(const SubGroupSizes& known) : sizes(known) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) const;
};

// Makes every work-item a sub-group of its own.
struct LowerSingleSubGroups : llvm::PassInfoMixin<LowerSingleSubGroups> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_SUB_GROUPS_H_
