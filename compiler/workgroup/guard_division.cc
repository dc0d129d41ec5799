// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/guard_division.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace conclave::compiler {
namespace {

bool is_safe_element(llvm::Constant* element, bool is_signed) {
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(element);
  return number && !number->isZero() && !(is_signed && number->isMinusOne());
}

bool is_safe_divisor(llvm::Value* divisor, bool is_signed) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(divisor);
  if (!constant) return false;
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(constant->getType());
  if (!vector) return is_safe_element(constant, is_signed);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    if (!is_safe_element(constant->getAggregateElement(i), is_signed)) return false;
  return true;
}

void guard(llvm::BinaryOperator& division, bool is_signed) {
  llvm::IRBuilder<> builder(&division);
  llvm::Value* dividend = division.getOperand(0);
  llvm::Value* divisor = division.getOperand(1);
  llvm::Type* type = divisor->getType();
  llvm::Value* bad = builder.CreateICmpEQ(divisor, llvm::ConstantInt::get(type, 0));
  if (is_signed) {
    auto lowest = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
    llvm::Value* is_lowest = builder.CreateICmpEQ(dividend, llvm::ConstantInt::get(type, lowest));
    llvm::Value* is_minus_one =
        builder.CreateICmpEQ(divisor, llvm::ConstantInt::getAllOnesValue(type));
    bad = builder.CreateOr(bad, builder.CreateAnd(is_lowest, is_minus_one));
  }
  division.setOperand(1, builder.CreateSelect(bad, llvm::ConstantInt::get(type, 1), divisor));
}

}  // namespace

llvm::PreservedAnalyses GuardDivisions::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      unsigned opcode = instruction.getOpcode();
      bool is_signed = opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem;
      bool is_unsigned = opcode == llvm::Instruction::UDiv || opcode == llvm::Instruction::URem;
      if ((is_signed || is_unsigned) && !is_safe_divisor(instruction.getOperand(1), is_signed))
        guard(llvm::cast<llvm::BinaryOperator>(instruction), is_signed);
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
