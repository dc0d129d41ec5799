// SPDX-License-Identifier: Apache-2.0
// The code of lane operations (vectorizer/analysis/lane_operations.h).
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_EMIT_LANE_OPERATIONS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_EMIT_LANE_OPERATIONS_H_

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// Emits the operation before the call. `mask` is <W x i1>, or null if all lanes run. A result that
// is not uniform is a vector, except for kLane, whose result is the number of lane 0.
llvm::Value* emit_lane_operation(llvm::CallInst& call, llvm::Value* mask, PacketValues& values);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_EMIT_LANE_OPERATIONS_H_
