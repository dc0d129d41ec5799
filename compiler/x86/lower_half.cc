// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/lower_half.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;

bool is_half(const Type* type) {
  return type->getScalarType()->isHalfTy();
}

bool has_half_operand(const Instruction& instruction) {
  return llvm::any_of(instruction.operands(),
                      [](const llvm::Use& operand) { return is_half(operand->getType()); });
}

// Whether the result for halves is that for the same numbers as floats, rounded.
bool works_through_float(ID id) {
  switch (id) {
    case llvm::Intrinsic::canonicalize:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
    case llvm::Intrinsic::ldexp:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::powi:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::vector_reduce_fadd:
    case llvm::Intrinsic::vector_reduce_fmax:
    case llvm::Intrinsic::vector_reduce_fmaximum:
    case llvm::Intrinsic::vector_reduce_fmin:
    case llvm::Intrinsic::vector_reduce_fminimum:
    case llvm::Intrinsic::vector_reduce_fmul:
      return true;
    default:
      return false;
  }
}

// Whether AVX512-FP16 has an instruction for it, or operations on bits do. Comparisons are left out: with
// those of halves LLVM's code generator made wrong code of a kernel of the fuzzer (seed 1).
bool is_arithmetic_of_half(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::FNeg:
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
      return true;
    case Instruction::Call:
      break;
    default:
      return false;
  }
  switch (llvm::cast<llvm::CallBase>(instruction).getIntrinsicID()) {
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::trunc:
      return true;
    default:
      return false;
  }
}

class Lowering {
 public:
  Lowering(Instruction& instruction, bool has_conversions)
      : instruction_(instruction), builder_(&instruction), has_conversions_(has_conversions) {
    if (llvm::isa<llvm::FPMathOperator>(instruction))
      builder_.setFastMathFlags(instruction.getFastMathFlags());
  }

  void run() {
    Value* result = lowered();
    if (!result) return;
    result->takeName(&instruction_);
    instruction_.replaceAllUsesWith(result);
    instruction_.eraseFromParent();
  }

 private:
  // Null: the instruction stays.
  Value* lowered() {
    switch (instruction_.getOpcode()) {
      case Instruction::FNeg:
        return as_half(builder_.CreateXor(bits_of(operand(0)), sign_bit()));
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::FMul:
      case Instruction::FDiv:
      case Instruction::FRem: {
        auto opcode = static_cast<Instruction::BinaryOps>(instruction_.getOpcode());
        Value* left = to_float(operand(0));
        return to_half(builder_.CreateBinOp(opcode, left, to_float(operand(1))));
      }
      case Instruction::FCmp: {
        Value* left = to_float(operand(0));
        return builder_.CreateFCmp(llvm::cast<llvm::FCmpInst>(instruction_).getPredicate(), left,
                                   to_float(operand(1)));
      }
      case Instruction::Call:
        return lowered_call();
      default:
        return lowered_conversion();
    }
  }

  Value* lowered_conversion() {
    const bool is_narrow = instruction_.getType()->getScalarType()->isFloatTy() ||
                           operand(0)->getType()->getScalarType()->isFloatTy();
    switch (instruction_.getOpcode()) {
      case Instruction::FPExt:
        if (is_narrow && has_conversions_) return nullptr;
        return builder_.CreateFPExt(to_float(operand(0)), instruction_.getType());
      case Instruction::FPTrunc:
        if (is_narrow && has_conversions_) return nullptr;
        return to_half(is_narrow ? operand(0) : rounded_to_odd(operand(0)));
      case Instruction::FPToSI:
        return builder_.CreateFPToSI(to_float(operand(0)), instruction_.getType());
      case Instruction::FPToUI:
        return builder_.CreateFPToUI(to_float(operand(0)), instruction_.getType());
      // Integers that a float rounds are beyond all halves.
      case Instruction::SIToFP:
        return to_half(builder_.CreateSIToFP(operand(0), float_type(instruction_.getType())));
      case Instruction::UIToFP:
        return to_half(builder_.CreateUIToFP(operand(0), float_type(instruction_.getType())));
      default:
        return nullptr;
    }
  }

  Value* lowered_call() {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction_);
    if (!call) return nullptr;
    const ID id = call->getIntrinsicID();
    if (id == llvm::Intrinsic::fabs)
      return as_half(builder_.CreateAnd(bits_of(operand(0)), magnitude_bits()));
    if (id == llvm::Intrinsic::copysign) {
      Value* magnitude = builder_.CreateAnd(bits_of(operand(0)), magnitude_bits());
      Value* sign = builder_.CreateAnd(bits_of(operand(1)), sign_bit());
      return as_half(builder_.CreateOr(magnitude, sign));
    }
    if (id == llvm::Intrinsic::fma) return fused();
    return works_through_float(id) ? through_float(*call) : nullptr;
  }

  // The product is exact. The bits that the sum loses are too far below the last bit of a half to
  // count.
  Value* fused() {
    Type* type = instruction_.getType()->getWithNewType(builder_.getDoubleTy());
    const auto wide = [&](unsigned i) { return builder_.CreateFPExt(to_float(operand(i)), type); };
    Value* left = wide(0);
    Value* product = builder_.CreateFMul(left, wide(1));
    return to_half(rounded_to_odd(builder_.CreateFAdd(product, wide(2))));
  }

  Value* through_float(llvm::IntrinsicInst& call) {
    llvm::SmallVector<Value*> arguments;
    for (Value* argument : call.args())
      arguments.push_back(is_half(argument->getType()) ? to_float(argument) : argument);
    const bool gives_half = is_half(call.getType());
    Type* type = gives_half ? float_type(call.getType()) : call.getType();
    Value* result = builder_.CreateIntrinsic(type, call.getIntrinsicID(), arguments);
    return gives_half ? to_half(result) : result;
  }

  // The nearest float, or if it is not exact the one of its neighbours around the number whose last
  // bit is set. 13 bits longer than a half, it rounds like the number itself.
  Value* rounded_to_odd(Value* x) {
    Value* nearest = builder_.CreateFPTrunc(x, float_type(x->getType()));
    Value* back = builder_.CreateFPExt(nearest, x->getType());
    const auto size = [&](Value* of) {
      return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, of);
    };
    Value* is_above = builder_.CreateFCmpOGT(size(back), size(x));
    Value* is_other = builder_.CreateFCmpONE(back, x);
    Value* bits = builder_.CreateBitCast(nearest, integer_type(nearest->getType(), 32));
    Value* below = builder_.CreateSub(bits, number(bits, 1));
    Value* inner = builder_.CreateSelect(is_above, below, bits);
    Value* odd = builder_.CreateOr(inner, number(bits, 1));
    return builder_.CreateBitCast(builder_.CreateSelect(is_other, odd, bits), nearest->getType());
  }

  Value* to_float(Value* x) {
    return has_conversions_ ? builder_.CreateFPExt(x, float_type(x->getType()))
                            : float_of_bits(bits_of(x));
  }
  Value* to_half(Value* x) {
    if (!has_conversions_) return as_half(half_bits_of(x));
    return builder_.CreateFPTrunc(x, x->getType()->getWithNewType(builder_.getHalfTy()));
  }

  // A subnormal half is what a normal float with its mantissa, 2^-14 and more, exceeds 2^-14 by.
  Value* float_of_bits(Value* half_bits) {
    Value* bits = builder_.CreateZExt(half_bits, integer_type(half_bits->getType(), 32));
    Value* magnitude = builder_.CreateAnd(bits, number(bits, 0x7fff));
    Value* sign = builder_.CreateShl(builder_.CreateXor(bits, magnitude), 16);
    Value* shifted = builder_.CreateShl(magnitude, 13);
    Value* normal = builder_.CreateAdd(shifted, number(bits, 112 << 23));
    Value* raised = as_float(builder_.CreateAdd(shifted, number(bits, 113 << 23)));
    Value* difference = builder_.CreateFSub(raised, real(raised, 0x1p-14));
    Value* subnormal = builder_.CreateBitCast(difference, bits->getType());
    Value* special = builder_.CreateOr(shifted, number(bits, 0x7f800000));
    Value* result = builder_.CreateSelect(builder_.CreateICmpULT(magnitude, number(bits, 0x0400)),
                                          subnormal, normal);
    result = builder_.CreateSelect(builder_.CreateICmpUGE(magnitude, number(bits, 0x7c00)), special,
                                   result);
    return as_float(builder_.CreateOr(result, sign));
  }

  // Added to 1/2 a number below 2^-14 is rounded to a multiple of 2^-24, as subnormal halves are.
  Value* half_bits_of(Value* x) {
    Value* bits = builder_.CreateBitCast(x, integer_type(x->getType(), 32));
    Value* magnitude = builder_.CreateAnd(bits, number(bits, 0x7fffffff));
    Value* sign = builder_.CreateLShr(builder_.CreateXor(bits, magnitude), 16);
    Value* last = builder_.CreateAnd(builder_.CreateLShr(magnitude, 13), number(bits, 1));
    Value* rounder = builder_.CreateAdd(last, number(bits, 0xfff - (112 << 23)));
    Value* normal = builder_.CreateLShr(builder_.CreateAdd(magnitude, rounder), 13);
    normal = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, normal, number(bits, 0x7c00));
    Value* sum = builder_.CreateFAdd(as_float(magnitude), real(x, 0.5));
    Value* subnormal =
        builder_.CreateSub(builder_.CreateBitCast(sum, bits->getType()), number(bits, 126 << 23));
    Value* payload = builder_.CreateAnd(builder_.CreateLShr(magnitude, 13), number(bits, 0x3ff));
    Value* not_a_number = builder_.CreateOr(payload, number(bits, 0x7e00));
    Value* result = builder_.CreateSelect(
        builder_.CreateICmpULT(magnitude, number(bits, 113 << 23)), subnormal, normal);
    result = builder_.CreateSelect(builder_.CreateICmpUGT(magnitude, number(bits, 0x7f800000)),
                                   not_a_number, result);
    return builder_.CreateTrunc(builder_.CreateOr(result, sign), integer_type(bits->getType(), 16));
  }

  Value* operand(unsigned i) const { return instruction_.getOperand(i); }
  Type* float_type(Type* type) { return type->getWithNewType(builder_.getFloatTy()); }
  Type* integer_type(Type* type, unsigned bits) {
    return type->getWithNewType(builder_.getIntNTy(bits));
  }
  Value* bits_of(Value* half) {
    return builder_.CreateBitCast(half, integer_type(half->getType(), 16));
  }
  Value* as_half(Value* bits) {
    return builder_.CreateBitCast(bits, bits->getType()->getWithNewType(builder_.getHalfTy()));
  }
  Value* as_float(Value* bits) { return builder_.CreateBitCast(bits, float_type(bits->getType())); }
  Value* sign_bit() {
    return llvm::ConstantInt::get(integer_type(operand(0)->getType(), 16), 0x8000);
  }
  Value* magnitude_bits() {
    return llvm::ConstantInt::get(integer_type(operand(0)->getType(), 16), 0x7fff);
  }
  static Value* number(const Value* like, uint32_t value) {
    return llvm::ConstantInt::get(like->getType(), value);
  }
  static Value* real(const Value* like, double value) {
    return llvm::ConstantFP::get(like->getType(), value);
  }

  Instruction& instruction_;
  llvm::IRBuilder<> builder_;
  bool has_conversions_;
};

// Whether there was anything to do.
bool lower(llvm::Function& function, bool has_conversions, bool has_arithmetic) {
  bool has_half = false;
  // New instructions come before the one that they are for.
  for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!is_half(instruction.getType()) && !has_half_operand(instruction)) continue;
    if (has_arithmetic && is_arithmetic_of_half(instruction)) continue;
    Lowering(instruction, has_conversions).run();
    has_half = true;
  }
  return has_half;
}

// Weak: each part of a program that is compiled by itself has its own.
void add_conversion(llvm::Module& module, const char* name, Instruction::CastOps conversion,
                    Type* from, Type* to) {
  auto* function = llvm::Function::Create(llvm::FunctionType::get(to, {from}, false),
                                          llvm::GlobalValue::WeakODRLinkage, name, module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  builder.CreateRet(builder.CreateCast(conversion, function->getArg(0), to));
  lower(*function, /*has_conversions=*/false, /*has_arithmetic=*/false);
}

}  // namespace

llvm::PreservedAnalyses LowerHalf::run(llvm::Module& module, llvm::ModuleAnalysisManager&) const {
  bool has_half = false;
  for (llvm::Function& function : module)
    has_half |= lower(function, has_conversions, has_arithmetic);
  if (!has_half) return llvm::PreservedAnalyses::all();
  if (has_conversions) return llvm::PreservedAnalyses::none();
  Type* half = Type::getHalfTy(module.getContext());
  Type* single = Type::getFloatTy(module.getContext());
  add_conversion(module, "__extendhfsf2", Instruction::FPExt, half, single);
  add_conversion(module, "__truncsfhf2", Instruction::FPTrunc, single, half);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
