// SPDX-License-Identifier: Apache-2.0
// Atomic operations that a packet does once for all lanes, which have one place.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_JOINED_FORM_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_JOINED_FORM_H_

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {

enum class JoinedForm {
  kNone,      // lanes follow one another
  kRepeated,  // all have the same operand; what each one finds follows from what the first one does
  kReduced,   // their operands make one, and nobody asks what they find
};

// `is_uniform`: whether all lanes have the same value.
JoinedForm joined_form(const llvm::AtomicRMWInst& change,
                       llvm::function_ref<bool(const llvm::Value*)> is_uniform);

// Whether it is an addition or a subtraction: several are one with the sum of their operands.
bool adds(const llvm::AtomicRMWInst& change);
// Whether to do it twice with the same operand is to do it once.
bool is_idempotent(const llvm::AtomicRMWInst& change);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_JOINED_FORM_H_
