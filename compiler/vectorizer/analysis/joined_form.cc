// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/joined_form.h"

namespace conclave::compiler {

using llvm::AtomicRMWInst;

bool adds(const AtomicRMWInst& change) {
  return change.getOperation() == AtomicRMWInst::Add || change.getOperation() == AtomicRMWInst::Sub;
}

bool is_idempotent(const AtomicRMWInst& change) {
  switch (change.getOperation()) {
    case AtomicRMWInst::Xchg:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
      return true;
    default:
      return false;
  }
}

JoinedForm joined_form(const AtomicRMWInst& change,
                       llvm::function_ref<bool(const llvm::Value*)> is_uniform) {
  if (!change.getType()->isIntegerTy() || !is_uniform(change.getPointerOperand()))
    return JoinedForm::kNone;
  const bool has_same_operand = is_uniform(change.getValOperand());
  if (has_same_operand && (adds(change) || is_idempotent(change))) return JoinedForm::kRepeated;
  const bool is_reducible = adds(change) || change.getOperation() == AtomicRMWInst::Xor ||
                            (is_idempotent(change) && change.getOperation() != AtomicRMWInst::Xchg);
  return is_reducible && change.use_empty() ? JoinedForm::kReduced : JoinedForm::kNone;
}

}  // namespace conclave::compiler
