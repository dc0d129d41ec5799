// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/byte_masks.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <numeric>

namespace conclave::compiler {
namespace {

using llvm::Value;

constexpr unsigned kBytes = 8;

bool is_eight_bytes(const llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getNumElements() == kBytes && vector->getElementType()->isIntegerTy(8);
}

// Twice as many bytes; the upper ones are the first of `rest`.
Value* widen(llvm::IRBuilder<>& builder, Value* bytes, llvm::Constant* rest) {
  llvm::SmallVector<int> order(2 * kBytes, kBytes);
  std::iota(order.begin(), order.begin() + kBytes, 0);
  return builder.CreateShuffleVector(bytes, rest, order);
}

Value* widen_mask(llvm::IRBuilder<>& builder, Value* mask) {
  auto* bytes = llvm::FixedVectorType::get(builder.getInt8Ty(), kBytes);
  Value* wide =
      widen(builder, builder.CreateSExt(mask, bytes), llvm::Constant::getNullValue(bytes));
  return builder.CreateIsNotNull(wide);
}

void widen_load(llvm::IntrinsicInst& load) {
  llvm::IRBuilder<> builder(&load);
  const auto align = llvm::cast<llvm::ConstantInt>(load.getArgOperand(1))->getAlignValue();
  Value* off = load.getArgOperand(3);
  auto* wide_off = widen(builder, off, llvm::PoisonValue::get(off->getType()));
  llvm::CallInst* wide =
      builder.CreateMaskedLoad(wide_off->getType(), load.getArgOperand(0), align,
                               widen_mask(builder, load.getArgOperand(2)), wide_off);
  wide->copyMetadata(load);
  llvm::SmallVector<int> order(kBytes);
  std::iota(order.begin(), order.end(), 0);
  load.replaceAllUsesWith(builder.CreateShuffleVector(wide, order));
  load.eraseFromParent();
}

void widen_store(llvm::IntrinsicInst& store) {
  llvm::IRBuilder<> builder(&store);
  Value* bytes = store.getArgOperand(0);
  const auto align = llvm::cast<llvm::ConstantInt>(store.getArgOperand(2))->getAlignValue();
  builder
      .CreateMaskedStore(widen(builder, bytes, llvm::PoisonValue::get(bytes->getType())),
                         store.getArgOperand(1), align, widen_mask(builder, store.getArgOperand(3)))
      ->copyMetadata(store);
  store.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses WidenByteMasks::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager&) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call) continue;
    if (call->getIntrinsicID() == llvm::Intrinsic::masked_load && is_eight_bytes(call->getType()))
      widen_load(*call);
    else if (call->getIntrinsicID() == llvm::Intrinsic::masked_store &&
             is_eight_bytes(call->getArgOperand(0)->getType()))
      widen_store(*call);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
