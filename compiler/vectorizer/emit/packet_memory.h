// SPDX-License-Identifier: Apache-2.0
// Loads and stores of all lanes at once, in the form that the addresses allow.
//
//   %x = load float, ptr %p
//   =>
//   one form of packet_access.h              ; the lanes' distance is constant, or there is none
//   either of two, decided at run time       ; it is constant if something holds that is likely
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_MEMORY_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_MEMORY_H_

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Instructions.h>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// Emits the access before the instruction and defines its parts. `mask` is <W x i1>, or null if all
// lanes run; with a mask, at least one lane does. `target` is null where all masked forms are
// instructions.
void packetize_load(llvm::LoadInst& load, llvm::Value* mask, PacketValues& values,
                    const llvm::TargetTransformInfo* target);
void packetize_store(llvm::StoreInst& store, llvm::Value* mask, PacketValues& values,
                     const llvm::TargetTransformInfo* target);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_MEMORY_H_
