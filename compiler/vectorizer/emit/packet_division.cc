// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/packet_division.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::IRBuilderBase;
using llvm::Type;
using llvm::Value;

bool is_signed(const llvm::BinaryOperator& division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

bool is_remainder(const llvm::BinaryOperator& division) {
  return division.getOpcode() == Instruction::SRem || division.getOpcode() == Instruction::URem;
}

Value* to_real(IRBuilderBase& builder, Value* number, Type* type, bool with_sign) {
  return with_sign ? builder.CreateSIToFP(number, type) : builder.CreateUIToFP(number, type);
}

// a / b by the inverse of b, which is good to a few units in the last place.
Value* multiply_by_inverse(IRBuilderBase& builder, Value* left, Value* divisor, bool with_sign) {
  Type* type = left->getType();
  Value* one = llvm::ConstantFP::get(type->getScalarType(), 1.0);
  Value* inverse =
      builder.CreateFDiv(one, to_real(builder, divisor, type->getScalarType(), with_sign));
  Value* half = llvm::ConstantFP::get(type, 0.5);
  if (with_sign) half = builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, half, left);
  auto lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  return builder.CreateFMul(builder.CreateFAdd(left, half),
                            builder.CreateVectorSplat(lanes, inverse));
}

using namespace llvm::PatternMatch;

// %b == 0 | (%a == the least number & %b == -1), as guard_division.h has it.
bool is_unspecified(Value* condition, Value* dividend, Value* divisor) {
  llvm::ICmpInst::Predicate zero, low, minus;
  auto is_zero = m_c_ICmp(zero, m_Specific(divisor), m_Zero());
  auto is_low = m_c_ICmp(low, m_Specific(dividend), m_SignMask());
  auto is_minus = m_c_ICmp(minus, m_Specific(divisor), m_AllOnes());
  const bool matches = match(condition, m_c_LogicalOr(is_zero, m_c_LogicalAnd(is_low, is_minus)));
  return matches && zero == llvm::ICmpInst::ICMP_EQ && low == zero && minus == zero;
}

}  // namespace

Value* divisor_of_all(const llvm::BinaryOperator& division, const IsUniform& is_uniform) {
  Value* dividend = division.getOperand(0);
  Value* divisor = division.getOperand(1);
  if (is_uniform(divisor)) return divisor;
  Value* condition = nullptr;
  Value* original = nullptr;
  if (!match(divisor, m_Select(m_Value(condition), m_One(), m_Value(original)))) return nullptr;
  return is_uniform(original) && is_unspecified(condition, dividend, original) ? original : nullptr;
}

bool has_packet_form(const llvm::BinaryOperator& division) {
  // LLVM has better ways to divide by constants.
  return division.getType()->isIntegerTy() && division.getType()->getIntegerBitWidth() <= 32 &&
         !llvm::isa<llvm::Constant>(division.getOperand(1));
}

Value* divide_lanes(IRBuilderBase& builder, const llvm::BinaryOperator& division, Value* left,
                    Value* right, Value* divisor) {
  const bool with_sign = is_signed(division);
  if (divisor) {
    Value* is_zero = builder.CreateIsNull(divisor);
    divisor = builder.CreateSelect(is_zero, llvm::ConstantInt::get(divisor->getType(), 1), divisor);
    right = builder.CreateVectorSplat(
        llvm::cast<llvm::FixedVectorType>(left->getType())->getNumElements(), divisor);
  }
  const bool is_short = division.getType()->getIntegerBitWidth() <= 16;
  Type* real = is_short ? builder.getFloatTy() : builder.getDoubleTy();
  Type* type = left->getType()->getWithNewType(real);
  Value* dividend = to_real(builder, left, type, with_sign);
  Value* ratio = divisor ? multiply_by_inverse(builder, dividend, divisor, with_sign)
                         : builder.CreateFDiv(dividend, to_real(builder, right, type, with_sign));
  Value* quotient = with_sign ? builder.CreateFPToSI(ratio, left->getType())
                              : builder.CreateFPToUI(ratio, left->getType());
  // The least number, divided by -1, has no quotient.
  quotient = builder.CreateFreeze(quotient);
  if (!is_remainder(division)) return quotient;
  return builder.CreateSub(left, builder.CreateMul(quotient, right));
}

Value* guard_divisor(IRBuilderBase& builder, const Instruction& division, Value* divisor,
                     Value* mask) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(division.getOperand(1));
  const bool is_safe = constant && llvm::isa<llvm::ConstantInt>(constant) &&
                       !constant->isZeroValue() && !constant->isAllOnesValue();
  if (!mask || is_safe) return divisor;
  return builder.CreateSelect(mask, divisor, llvm::ConstantInt::get(divisor->getType(), 1));
}

}  // namespace conclave::compiler
