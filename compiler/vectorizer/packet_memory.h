// SPDX-License-Identifier: Apache-2.0
// Loads and stores of all lanes at once, in the form that the addresses allow.
//
//   %x = load float, ptr %p
//   =>
//   load <W x float>, ptr %p                 ; stride 4; llvm.masked.load if not all lanes run
//   load of W - 1 elements back, reversed    ; stride -4
//   two loads and a shuffle                  ; stride 8 to 16
//   llvm.masked.gather                       ; all else
//
// Explicit vectors whose lanes lie side by side (an array of float4) are one long load and
// shuffles.
#ifndef CONCLAVE_COMPILER_VECTORIZER_PACKET_MEMORY_H_
#define CONCLAVE_COMPILER_VECTORIZER_PACKET_MEMORY_H_

#include <llvm/IR/Instructions.h>

#include "compiler/vectorizer/packet_values.h"

namespace conclave::compiler {

// Emits the access before the instruction and defines its parts. `mask` is <W x i1>, or null if all
// lanes run; with a mask, at least one lane does.
void packetize_load(llvm::LoadInst& load, llvm::Value* mask, PacketValues& values);
void packetize_store(llvm::StoreInst& store, llvm::Value* mask, PacketValues& values);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_PACKET_MEMORY_H_
