// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/narrow_integers.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {
namespace {

using llvm::APInt;
using llvm::ConstantRange;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kWide = 32, kNarrow = 16;

class Narrowing {
 public:
  Narrowing(llvm::Function& region, const Uniformity& uniformity)
      : region_(region), uniformity_(uniformity) {}

  void run() {
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&region_))
      for (Instruction& instruction : *block)
        if (const auto range = find_range(instruction)) add(instruction, *range);
    count_gains();
    for (auto& [instruction, range] : ranges_)
      if (pays(*instruction)) narrow(*instruction);
    for (auto& [wide, narrow] : narrow_) replace(*wide, *narrow);
    for (auto& [wide, narrow] : llvm::reverse(narrow_))
      if (wide->use_empty()) wide->eraseFromParent();
  }

 private:
  static ConstantRange all_narrow() {
    return {APInt::getSignedMinValue(kNarrow).sext(kWide),
            APInt::getSignedMaxValue(kNarrow).sext(kWide) + 1};
  }

  // Between what a value lies, where that and all that it is made of fits into 16 bits.
  std::optional<ConstantRange> find_range(const Instruction& instruction) const {
    if (!instruction.getType()->isIntegerTy(kWide) || !uniformity_.is_divergent(instruction))
      return std::nullopt;
    auto range = range_of(instruction);
    if (!range || !all_narrow().contains(*range)) return std::nullopt;
    return range;
  }

  std::optional<ConstantRange> range_of(const Instruction& instruction) const {
    if (is_leaf(instruction)) {
      const unsigned bits = instruction.getOperand(0)->getType()->getIntegerBitWidth();
      const ConstantRange all = ConstantRange::getFull(bits);
      return llvm::isa<llvm::ZExtInst>(instruction) ? all.zeroExtend(kWide) : all.signExtend(kWide);
    }
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (!operation) return std::nullopt;
    const auto left = range_of_operand(*operation->getOperand(0));
    const auto right = range_of_operand(*operation->getOperand(1));
    if (!left || !right) return std::nullopt;
    switch (operation->getOpcode()) {
      case Instruction::Add:
        return left->add(*right);
      case Instruction::Sub:
        return left->sub(*right);
      case Instruction::Mul:
        return left->smul_fast(*right);
      case Instruction::Shl:
        // A shift by more would give a different number with 16 bits.
        if (!right->isSingleElement() || right->getUnsignedMax().uge(kNarrow)) return std::nullopt;
        return left->smul_fast(APInt::getOneBitSet(
            kWide, static_cast<unsigned>(right->getUnsignedMax().getZExtValue())));
      default:
        return std::nullopt;
    }
  }

  static bool is_leaf(const Instruction& instruction) {
    if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction)) return false;
    const llvm::Type* from = instruction.getOperand(0)->getType();
    return from->isIntegerTy(8) || from->isIntegerTy(kNarrow);
  }

  std::optional<ConstantRange> range_of_operand(const Value& operand) const {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&operand)) {
      const ConstantRange range(constant->getValue());
      return all_narrow().contains(range) ? std::optional(range) : std::nullopt;
    }
    auto known = ranges_.find(const_cast<Instruction*>(llvm::dyn_cast<Instruction>(&operand)));
    return known == ranges_.end() ? std::nullopt : std::optional(known->second);
  }

  void add(Instruction& instruction, const ConstantRange& range) {
    ranges_.insert({&instruction, range});
    parts_.insert(&instruction);
    if (is_leaf(instruction)) return;
    for (Value* operand : instruction.operands())
      if (auto* part = llvm::dyn_cast<Instruction>(operand)) parts_.unionSets(&instruction, part);
  }

  // Each operation is spared a second register; each value that is wanted with 32 bits is extended.
  void count_gains() {
    for (auto& [instruction, range] : ranges_) {
      int& gain = gains_[parts_.getLeaderValue(instruction)];
      if (!is_leaf(*instruction)) {
        ++gain;
        if (llvm::any_of(instruction->users(), [&](Value* user) { return !is_part(user); }))
          gain -= static_cast<int>(tuning().narrow_operations);
      }
    }
  }
  bool pays(Instruction& instruction) const {
    return gains_.lookup(parts_.getLeaderValue(&instruction)) > 0;
  }
  bool is_part(Value* value) const {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction && ranges_.contains(instruction) && !is_leaf(*instruction);
  }

  void narrow(Instruction& instruction) {
    llvm::IRBuilder<> builder(&instruction);
    llvm::Type* type = builder.getIntNTy(kNarrow);
    Value* result = nullptr;
    if (is_leaf(instruction)) {
      Value* from = instruction.getOperand(0);
      result = llvm::isa<llvm::ZExtInst>(instruction) ? builder.CreateZExt(from, type)
                                                      : builder.CreateSExt(from, type);
    } else {
      const auto operand = [&](unsigned i) -> Value* {
        Value* wide = instruction.getOperand(i);
        if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(wide))
          return llvm::ConstantInt::get(type, constant->getValue().trunc(kNarrow));
        return narrow_.lookup(llvm::cast<Instruction>(wide));
      };
      result = builder.CreateBinOp(llvm::cast<llvm::BinaryOperator>(instruction).getOpcode(),
                                   operand(0), operand(1), instruction.getName() + ".narrow");
    }
    narrow_.insert({&instruction, result});
  }

  // Gives the value to those that want it with 32 bits.
  void replace(Instruction& wide, Value& narrow) {
    if (is_leaf(wide)) return;
    llvm::IRBuilder<> builder(wide.getNextNode());
    Value* extended = nullptr;
    for (llvm::Use& use : llvm::make_early_inc_range(wide.uses())) {
      if (is_part(use.getUser())) continue;
      if (!extended) extended = builder.CreateSExt(&narrow, wide.getType());
      use.set(extended);
    }
  }

  llvm::Function& region_;
  const Uniformity& uniformity_;
  llvm::MapVector<Instruction*, ConstantRange> ranges_;  // operands before what is made of them
  llvm::EquivalenceClasses<Instruction*> parts_;         // of one calculation
  llvm::DenseMap<Instruction*, int> gains_;              // of a calculation, by its leader
  llvm::MapVector<Instruction*, Value*> narrow_;
};

}  // namespace

llvm::PreservedAnalyses NarrowIntegers::run(llvm::Function& region,
                                            llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    Narrowing(region, analyses.getResult<UniformityAnalysis>(region)).run();
  });
}

}  // namespace conclave::compiler
