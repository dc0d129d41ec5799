// SPDX-License-Identifier: Apache-2.0
// Calls of all lanes at once: intrinsics and functions that have a form for vectors.
//
//   %x = call float @llvm.fabs.f32(float %a)
//   %y = call float @Sleef_sinf_u10(float %b)      ; 16 lanes; SLEEF has a function for 8
//   =>
//   %x = call <16 x float> @llvm.fabs.v16f32(<16 x float> %a)
//   %y = <both halves: call <8 x float> @Sleef_sinf8_u10avx2(<8 x float> ...)>
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_CALLS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_CALLS_H_

#include <llvm/IR/Instructions.h>

#include "compiler/vectorizer/emit/packet_values.h"
#include "compiler/vectorizer/emit/packetize.h"

namespace conclave::compiler {

// Emits the calls before the one that is given and defines its parts; all other calls are done lane
// by lane. `mask` is <W x i1>, or null if all lanes run. False if the call is to stay as it is,
// once for all lanes.
bool packetize_call(llvm::CallInst& call, llvm::Value* mask, PacketValues& values,
                    VectorFunctionFinder find);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_CALLS_H_
