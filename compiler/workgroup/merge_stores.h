// SPDX-License-Identifier: Apache-2.0
// Both ways of a branch store last to the same place: one store behind them is enough. What is left of
// the ways often becomes selects. One by one, work-items then have no branch that depends on data, as
// where two sorted lists are merged, and packets store once instead of twice under masks.
//
//   then:                          then:
//     store i32 %a, ptr %p           %i1 = add i32 %i, 1
//     %i1 = add i32 %i, 1            br label %end
//     br label %end              else:
//   else:                            br label %end
//     store i32 %b, ptr %p   =>    end:
//     br label %end                  %v = phi i32 [ %a, %then ], [ %b, %else ]
//   end:                             store i32 %v, ptr %p
//
// Addresses may be calculated in both ways alike. LLVM's MergedLoadStoreMotion takes only those that are
// of one instruction each, and not those that are calculated before.
#ifndef CONCLAVE_COMPILER_WORKGROUP_MERGE_STORES_H_
#define CONCLAVE_COMPILER_WORKGROUP_MERGE_STORES_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct MergeStores : llvm::PassInfoMixin<MergeStores> {
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_MERGE_STORES_H_
