// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/lane_votes.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::ICmpInst;
using llvm::IRBuilderBase;
using llvm::Value;
using namespace llvm::PatternMatch;

class Vote {
 public:
  Vote(IRBuilderBase& builder, const Shapes& shapes, unsigned lanes)
      : builder_(builder), shapes_(shapes), lanes_(lanes) {}

  // Whether the condition holds in any lane, or in every one.
  Value* take(Value* condition, bool every, unsigned depth = 0) {
    if (shapes_.is_uniform(condition)) return condition;
    if (depth > tuning().vote_depth) return nullptr;
    Value* left = nullptr;
    Value* right = nullptr;
    if (match(condition, m_Not(m_Value(left)))) {
      Value* others = take(left, !every, depth + 1);
      return others ? builder_.CreateNot(others) : nullptr;
    }
    if (match(condition, m_Freeze(m_Value(left)))) {
      Value* vote = take(left, every, depth + 1);
      return vote ? builder_.CreateFreeze(vote) : nullptr;
    }
    const bool joins = every ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                             : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
    if (joins) return join(left, right, every, depth + 1);
    auto* compare = llvm::dyn_cast<ICmpInst>(condition);
    return compare ? compare_lanes(*compare, every) : nullptr;
  }

 private:
  Value* join(Value* left, Value* right, bool every, unsigned depth) {
    Value* first = take(left, every, depth);
    Value* second = first ? take(right, every, depth) : nullptr;
    if (!second) return nullptr;
    // The second may be poison in lanes that the first one decides.
    second = builder_.CreateFreeze(second);
    return every ? builder_.CreateAnd(first, second) : builder_.CreateOr(first, second);
  }

  Value* compare_lanes(const ICmpInst& compare, bool every) {
    Value* left = compare.getOperand(0);
    Value* right = compare.getOperand(1);
    if (!left->getType()->isIntegerTy() || left->getType()->getIntegerBitWidth() > 64)
      return nullptr;
    auto left_stride = shapes_.stride(left);
    auto right_stride = shapes_.stride(right);
    if (!left_stride || !right_stride) return nullptr;
    const int64_t stride = *left_stride - *right_stride;
    if (compare.isEquality()) {
      // All differ unless one is equal, and one is equal unless all differ.
      const bool negate = compare.getPredicate() == ICmpInst::ICMP_NE;
      if (every != negate) return nullptr;
      Value* equal = any_equal(left, right, stride);
      return equal && negate ? builder_.CreateNot(equal) : equal;
    }
    if (!shapes_.is_exact(left, compare.isSigned()) || !shapes_.is_exact(right, compare.isSigned()))
      return nullptr;
    const bool is_less =
        ICmpInst::isLT(compare.getPredicate()) || ICmpInst::isLE(compare.getPredicate());
    // "Less" is most likely where the difference is smallest.
    const bool last = (stride < 0) == (is_less != every);
    if (last && stride != 0) {
      left = of_last(left, *left_stride);
      right = of_last(right, *right_stride);
    }
    return builder_.CreateICmp(compare.getPredicate(), left, right);
  }

  Value* any_equal(Value* left, Value* right, int64_t stride) {
    if (stride == 0) return builder_.CreateICmpEQ(left, right);
    if (stride != 1 && stride != -1) return nullptr;
    // In a type so narrow, each value is that of some lane.
    const unsigned bits = left->getType()->getIntegerBitWidth();
    if (bits < 32 && lanes_ >> bits != 0) return builder_.getTrue();
    Value* lane = stride > 0 ? builder_.CreateSub(right, left) : builder_.CreateSub(left, right);
    return builder_.CreateICmpULT(lane, llvm::ConstantInt::get(lane->getType(), lanes_));
  }

  Value* of_last(Value* value, int64_t stride) {
    if (stride == 0) return value;
    auto* distance = llvm::ConstantInt::getSigned(value->getType(), stride * (lanes_ - 1));
    return builder_.CreateAdd(value, distance);
  }

  IRBuilderBase& builder_;
  const Shapes& shapes_;
  unsigned lanes_;
};

}  // namespace

Value* any_lane(IRBuilderBase& builder, Value* condition, const Shapes& shapes, unsigned lanes) {
  return Vote(builder, shapes, lanes).take(condition, false);
}

}  // namespace conclave::compiler
