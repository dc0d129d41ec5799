// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/bit_counts.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/Local.h>

#include <bit>
#include <numeric>
#include <vector>

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kBytes = 32;  // of a register
constexpr unsigned kWords = kBytes / 8;
constexpr unsigned kMostInByte = 255;

// The counts of a vector's bytes, by registers.
struct ByteCounts {
  std::vector<Value*> registers;
  unsigned most = 8;  // in one byte
};

bool is_counted_by_table(const Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != llvm::Intrinsic::ctpop) return false;
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(call->getType());
  return type && type->getElementType()->isIntegerTy(64) && type->getNumElements() % kWords == 0;
}

class TableCounter {
 public:
  explicit TableCounter(llvm::Function& function)
      : builder_(&*function.getEntryBlock().getFirstInsertionPt()) {
    std::vector<uint8_t> counts(kBytes);
    for (unsigned i = 0; i < kBytes; ++i) counts[i] = std::popcount(i % 16);
    table_ = in_register(llvm::ConstantDataVector::get(function.getContext(), counts));
    low_half_ = in_register(llvm::ConstantDataVector::getSplat(kBytes, builder_.getInt8(0xf)));
  }

  ByteCounts count(llvm::IntrinsicInst& call) {
    builder_.SetInsertPoint(&call);
    ByteCounts counts;
    const auto lanes = llvm::cast<llvm::FixedVectorType>(call.getType())->getNumElements();
    for (unsigned first = 0; first < lanes; first += kWords) {
      llvm::SmallVector<int> order(kWords);
      std::iota(order.begin(), order.end(), static_cast<int>(first));
      counts.registers.push_back(
          count_bytes(builder_.CreateShuffleVector(call.getArgOperand(0), order)));
    }
    return counts;
  }

  ByteCounts add(Instruction& sum, const ByteCounts& a, const ByteCounts& b) {
    builder_.SetInsertPoint(&sum);
    ByteCounts counts{{}, a.most + b.most};
    for (size_t i = 0; i < a.registers.size(); ++i)
      counts.registers.push_back(builder_.CreateAdd(a.registers[i], b.registers[i]));
    return counts;
  }

  // The sums of the bytes of each integer, instead of `instruction`.
  void replace(Instruction& instruction, const ByteCounts& counts) {
    builder_.SetInsertPoint(&instruction);
    std::vector<Value*> sums;
    for (Value* bytes : counts.registers)
      sums.push_back(
          builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx2_psad_bw, {},
                                   {bytes, llvm::Constant::getNullValue(bytes->getType())}));
    instruction.replaceAllUsesWith(llvm::concatenateVectors(builder_, sums));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(&instruction);
  }

 private:
  // The code generator does not see that it is a constant.
  Value* in_register(llvm::Constant* constant) {
    auto* type = llvm::FunctionType::get(constant->getType(), {constant->getType()}, false);
    return builder_.CreateCall(llvm::InlineAsm::get(type, "", "=x,0", false), {constant});
  }

  Value* count_bytes(Value* words) {
    Value* shorts = builder_.CreateBitCast(
        words, llvm::FixedVectorType::get(builder_.getInt16Ty(), kBytes / 2));
    Value* high = builder_.CreateBitCast(builder_.CreateLShr(shorts, 4), table_->getType());
    return builder_.CreateAdd(look_up(builder_.CreateBitCast(words, table_->getType())),
                              look_up(high));
  }

  Value* look_up(Value* bytes) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx2_pshuf_b, {},
                                    {table_, builder_.CreateAnd(bytes, low_half_)});
  }

  llvm::IRBuilder<> builder_;
  Value* table_;
  Value* low_half_;
};

}  // namespace

llvm::PreservedAnalyses CountBitsByTable::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager&) {
  std::vector<Instruction*> candidates;
  bool counts_any = false;
  for (Instruction& instruction : llvm::instructions(function)) {
    const bool counts = is_counted_by_table(instruction);
    counts_any |= counts;
    if (counts || instruction.getOpcode() == Instruction::Add) candidates.push_back(&instruction);
  }
  if (!counts_any) return llvm::PreservedAnalyses::all();
  TableCounter counter(function);
  llvm::MapVector<Instruction*, ByteCounts> all;
  const auto find = [&](Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction && instruction->hasOneUse() ? all.find(instruction) : all.end();
  };
  for (Instruction* candidate : candidates) {
    if (is_counted_by_table(*candidate)) {
      all.insert({candidate, counter.count(llvm::cast<llvm::IntrinsicInst>(*candidate))});
      continue;
    }
    const auto a = find(candidate->getOperand(0)), b = find(candidate->getOperand(1));
    if (a == all.end() || b == all.end() || a->second.most + b->second.most > kMostInByte) continue;
    ByteCounts sum = counter.add(*candidate, a->second, b->second);
    all.erase(a->first);
    all.erase(llvm::cast<Instruction>(candidate->getOperand(1)));
    all.insert({candidate, std::move(sum)});
  }
  for (const auto& [instruction, counts] : all) counter.replace(*instruction, counts);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
