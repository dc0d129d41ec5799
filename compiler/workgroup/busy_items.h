// SPDX-License-Identifier: Apache-2.0
// How many work-items of a row a guard at the begin of a region lets through:
//
//   %x = add i64 %global.base.x, %local.id.x
//   %i = trunc i64 %x to i32
//   %inside = icmp slt i32 %i, %n
//   %here = icmp slt i32 %j, %m              ; %j is the same for the whole row
//   %busy = and i1 %inside, %here
//   br i1 %busy, label %body, label %end     ; nothing else before
//   end: ret i32 -1                          ; and nothing here
//
// The first n - global.base.x of them, or none if j >= m. The loop over packets ends with them. Launches
// are often larger than what is left to do, as in the steps of an elimination.
#ifndef CONCLAVE_COMPILER_WORKGROUP_BUSY_ITEMS_H_
#define CONCLAVE_COMPILER_WORKGROUP_BUSY_ITEMS_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace conclave::compiler {

// Emits an i64: work-items of the row from this one on do nothing. `arguments` are those of the row's
// first work-item for the region function; all ids of the group are below 2^31. Null where the region
// has no such guard along `dimension`.
llvm::Value* emit_busy_items(llvm::IRBuilder<>& builder, llvm::Function& region, unsigned dimension,
                             llvm::ArrayRef<llvm::Value*> arguments);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_BUSY_ITEMS_H_
