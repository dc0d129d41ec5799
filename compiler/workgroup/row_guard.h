// SPDX-License-Identifier: Apache-2.0
// Regions in which only the first work-items of a row have anything to do, as in the steps of a
// tree reduction:
//
//   %busy = icmp ult i64 %local.id, 64
//   br i1 %busy, label %body, label %end     ; nothing else before
//   end: ret i32 3                           ; and nothing here that differs between work-items
//
// The loop over packets may end there. One packet has to run all the same: for what the end does
// for all of them.
#ifndef CONCLAVE_COMPILER_WORKGROUP_ROW_GUARD_H_
#define CONCLAVE_COMPILER_WORKGROUP_ROW_GUARD_H_

#include <llvm/IR/Function.h>

#include <optional>

namespace conclave::compiler {

// Work-items whose local id in `dimension` is not below it do nothing of their own; nothing where
// there is no such number.
std::optional<uint64_t> first_idle_item(llvm::Function& region, unsigned dimension);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_ROW_GUARD_H_
