// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_CAN_PACKETIZE_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_CAN_PACKETIZE_H_

#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {

// Whether all lanes of a function take the same way through it, and each value that differs between
// them has a type with a form for several. A remark says what stands against it.
bool can_packetize(const llvm::Function& region, const Shapes& shapes, PartRemarks& remarks);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_CAN_PACKETIZE_H_
