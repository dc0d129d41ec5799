// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/sampled_places.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <optional>
#include <utility>

namespace conclave::compiler {
namespace {

using llvm::Constant;
using llvm::Value;

// Up to the largest size that programs give work-groups, mostly.
constexpr unsigned kSamples = 11;
// Operations from an id to an address.
constexpr unsigned kMostDepth = 24;

// The base that all lanes share, and the lane's distance from it in bytes.
using Place = std::pair<const Value*, int64_t>;

// What one lane calculates in one sample.
class LaneSample {
 public:
  LaneSample(const LaneIds& ids, const Uniformity& uniformity, const llvm::DataLayout& layout,
             unsigned lane, unsigned sample)
      : ids_(ids), uniformity_(uniformity), layout_(layout), lane_(lane), sample_(sample) {}

  // Nothing where it cannot be calculated, or has no value in this sample.
  std::optional<Place> place(const Value* pointer) {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    const auto index = [&](Value& value, llvm::APInt& number) {
      const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(calculate(&value));
      if (known) number = known->getValue();
      return known != nullptr;
    };
    while (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      if (!address->accumulateConstantOffset(layout_, offset, index)) return {};
      pointer = address->getPointerOperand();
    }
    if (uniformity_.is_divergent(*pointer)) return {};
    return Place{pointer, offset.getSExtValue()};
  }

  // Whether `place` has met what has no value in this sample, as a division by 0.
  bool is_void() const { return is_void_; }

 private:
  Constant* calculate(const Value* value, unsigned depth = 0) {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
      return const_cast<llvm::ConstantInt*>(number);
    if (!value->getType()->isIntegerTy() || depth > kMostDepth) return nullptr;
    if (llvm::is_contained(ids_.consecutive, value))
      return llvm::ConstantInt::get(value->getType(), lane_);
    auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    Constant* result = fold(value, depth);
    if (!result && !uniformity_.is_divergent(*value))
      result = llvm::ConstantInt::get(value->getType(), uint64_t{1} << sample_);
    is_void_ |= result && llvm::isa<llvm::UndefValue>(result);
    return known_[value] = result;
  }

  Constant* fold(const Value* value, unsigned depth) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || llvm::isa<llvm::PHINode>(instruction) ||
        instruction->mayReadOrWriteMemory())
      return nullptr;
    llvm::SmallVector<Constant*, 4> operands;
    for (const Value* operand : instruction->operands()) {
      Constant* number = llvm::isa<llvm::Function>(operand)
                             ? const_cast<Constant*>(llvm::cast<Constant>(operand))
                             : calculate(operand, depth + 1);
      if (!number) return nullptr;
      operands.push_back(number);
    }
    if (auto* comparison = llvm::dyn_cast<llvm::CmpInst>(instruction))
      return llvm::ConstantFoldCompareInstOperands(comparison->getPredicate(), operands[0],
                                                   operands[1], layout_);
    return llvm::ConstantFoldInstOperands(const_cast<llvm::Instruction*>(instruction), operands,
                                          layout_);
  }

  const LaneIds& ids_;
  const Uniformity& uniformity_;
  const llvm::DataLayout& layout_;
  unsigned lane_, sample_;
  bool is_void_ = false;
  llvm::DenseMap<const Value*, Constant*> known_;
};

}  // namespace

bool SampledPlaces::are_disjoint(llvm::ArrayRef<const Value*> pointers) const {
  bool has_sample = false;
  for (unsigned sample = 0; sample < kSamples; ++sample) {
    llvm::DenseMap<Place, unsigned> owners;
    bool is_void = false;
    for (unsigned lane = 0; lane < lanes_ && !is_void; ++lane) {
      LaneSample numbers(ids_, uniformity_, layout_, lane, sample);
      for (const Value* pointer : pointers) {
        const std::optional<Place> place = numbers.place(pointer);
        is_void = numbers.is_void();
        if (is_void) break;
        if (!place || owners.try_emplace(*place, lane).first->second != lane) return false;
      }
    }
    has_sample |= !is_void;
  }
  return has_sample;
}

}  // namespace conclave::compiler
