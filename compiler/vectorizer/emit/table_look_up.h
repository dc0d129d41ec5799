// SPDX-License-Identifier: Apache-2.0
// Elements of a constant vector by an index that differs from lane to lane:
//
//   %e = extractelement <8 x i32> <constants>, i32 %i
//   =>
//   %e = <element by element, which becomes a permutation in registers>
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_TABLE_LOOK_UP_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_TABLE_LOOK_UP_H_

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// Whether `vector` is a constant that one operation of the target permutes.
bool fits_register(const llvm::Value& vector, const llvm::TargetTransformInfo& target);

// Returns <W x element>: for each lane the element of `table` at the lane's `index`.
llvm::Value* look_up(llvm::IRBuilderBase& builder, PacketValues& values, llvm::Value* table,
                     llvm::Value* index);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_TABLE_LOOK_UP_H_
