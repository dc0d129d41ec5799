// SPDX-License-Identifier: Apache-2.0
// Instructions that have no form for several lanes run once for each lane that does.
//
//   %old = atomicrmw add ptr %p, i32 1          ; %p varying, lanes with %mask
//   =>
//     %bits = bitcast <4 x i1> %mask to i4
//     store <4 x ptr> %p, ptr %places
//     br label %lane
//   lane:
//     %left = phi i4 [ %bits, %0 ], [ %rest, %lane ]
//     %i = <index of the lowest bit of %left>
//     %place = getelementptr ptr, ptr %places, i32 %i
//     %p.i = load ptr, ptr %place
//     %old.i = atomicrmw add ptr %p.i, i32 1
//     %old = insertelement <4 x i32> ..., i32 %old.i, i32 %i
//     %rest = <%left without its lowest bit>
//     br i1 <%rest is 0>, label %behind, label %lane
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PER_LANE_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PER_LANE_H_

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// Emits it before the instruction, whose block may be split there, and defines its parts. `mask` is
// <W x i1>, or null if all lanes run.
void run_per_lane(llvm::Instruction& instruction, llvm::Value* mask, PacketValues& values);

// A mask as the bits of an integer, that of lane 0 the lowest.
llvm::Value* mask_bits(llvm::IRBuilderBase& builder, llvm::Value* mask);

// The lanes that run, as such an integer; `mask` is null if all of them do.
llvm::Value* active_bits(llvm::IRBuilderBase& builder, llvm::Value* mask, unsigned lanes);

// The first and the last of the lanes that run, as an i32. At least one runs. `bits`: they.
llvm::Value* first_lane(llvm::IRBuilderBase& builder, llvm::Value* bits);
llvm::Value* last_lane(llvm::IRBuilderBase& builder, llvm::Value* mask);
// Lanes that run keep their values; the others get that of the last lane that runs.
llvm::Value* take_from_last(llvm::IRBuilderBase& builder, llvm::Value* vector, llvm::Value* mask);
// The same for addresses: it chooses between their indices, which are shorter and become parts of
// the accesses.
llvm::Value* take_addresses_from_last(llvm::IRBuilderBase& builder, llvm::Value* addresses,
                                      llvm::Value* mask);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PER_LANE_H_
