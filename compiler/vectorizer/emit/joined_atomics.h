// SPDX-License-Identifier: Apache-2.0
// Atomic operations of several lanes on one place become one operation, as if they had followed each
// other.
//
//   %old = atomicrmw add ptr %p, i32 1           ; %p uniform, lanes with %mask
//   =>
//     %count = <how many lanes run>
//     %first = atomicrmw add ptr %p, i32 %count
//     %old = <4 x i32> %first + <how many lanes before each one run>
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_JOINED_ATOMICS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_JOINED_ATOMICS_H_

#include <llvm/IR/Instructions.h>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// Emits it before the instruction, and defines its parts. `mask` is <W x i1>, or null if all lanes
// run. Returns false, and emits nothing, where it has no such form.
bool join_atomics(llvm::AtomicRMWInst& change, llvm::Value* mask, PacketValues& values);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_JOINED_ATOMICS_H_
