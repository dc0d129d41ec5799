// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/constant_powers.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

#include "compiler/base/builtin_name.h"

namespace conclave::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

// The exponent of a power, where it is one constant, for all elements of a vector too.
std::optional<double> constant_exponent(const llvm::CallInst& call) {
  using namespace llvm::PatternMatch;
  // What has a body is the program's own, and what has no types in its name is C code.
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || !callee->getName().starts_with("_Z") ||
      call.arg_size() != 2 || !call.getType()->isFPOrFPVectorTy() ||
      call.getArgOperand(0)->getType() != call.getType())
    return std::nullopt;
  const llvm::StringRef name = base_name(callee->getName());
  const llvm::APFloat* real;
  if (name == "pow" && match(call.getArgOperand(1), m_APFloat(real))) {
    llvm::APFloat wide = *real;
    bool is_inexact;
    wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &is_inexact);
    return wide.convertToDouble();
  }
  const llvm::APInt* integer;
  if (name == "pown" && match(call.getArgOperand(1), m_APInt(integer)))
    return static_cast<double>(integer->getSExtValue());
  return std::nullopt;
}

// x^(1/2) is the square root but for zeros, whose power is not negative, and minus infinity.
Value* root(IRBuilder<>& builder, Value* x) {
  Value* magnitude = builder.CreateUnaryIntrinsic(
      llvm::Intrinsic::fabs, builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  if (builder.getFastMathFlags().noInfs()) return magnitude;
  llvm::Type* type = x->getType();
  Value* is_lowest = builder.CreateFCmpOEQ(x, llvm::ConstantFP::getInfinity(type, true));
  return builder.CreateSelect(is_lowest, llvm::ConstantFP::getInfinity(type), magnitude);
}

// Null for an exponent that the general function has to take.
Value* power(IRBuilder<>& builder, Value* x, double exponent) {
  if (exponent == -1) return builder.CreateFDiv(llvm::ConstantFP::get(x->getType(), 1), x);
  if (exponent == 0.5) return root(builder, x);
  if (exponent == 1) return x;
  if (exponent != 2 && exponent != 3 && exponent != 4) return nullptr;
  Value* square = builder.CreateFMul(x, x);
  if (exponent == 2) return square;
  return builder.CreateFMul(square, exponent == 3 ? x : square);
}

}  // namespace

llvm::PreservedAnalyses ConstantPowers::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const std::optional<double> exponent = call ? constant_exponent(*call) : std::nullopt;
    if (!exponent) continue;
    IRBuilder<> builder(call);
    builder.setFastMathFlags(call->getFastMathFlags());
    Value* result = power(builder, call->getArgOperand(0), *exponent);
    if (!result) continue;
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace conclave::compiler
