// SPDX-License-Identifier: Apache-2.0
// A sum of values, each times a number, in arithmetic that does not wrap:
//
//   2 * r + 1 - id
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_LINEAR_SUM_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_LINEAR_SUM_H_

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PointerIntPair.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace conclave::compiler {

class LinearSum {
 public:
  // Sums of so many terms with such factors and constants do not wrap in 64 bits.
  static constexpr size_t kMaxTerms = 8;
  static constexpr int64_t kMaxFactor = int64_t{1} << 12;
  static constexpr int64_t kMaxTerm = int64_t{1} << 46;
  static constexpr int64_t kMaxConstant = kMaxTerm;
  // Terms with more bits are to be compared with the largest.
  static constexpr unsigned kTermBits = 46;

  // A value, and whether it is read with sign.
  using Term = llvm::PointerIntPair<llvm::Value*, 1, bool>;

  LinearSum() = default;
  explicit LinearSum(int64_t constant) : constant_(constant) {}
  explicit LinearSum(Term term) { factors_[term] = 1; }

  void add(const LinearSum& other, int64_t factor = 1) {
    for (const auto& [term, count] : other.factors_) {
      factors_[term] += count * factor;
      if (factors_[term] == 0) factors_.erase(term);
    }
    constant_ += other.constant_ * factor;
  }

  bool is_small() const {
    const auto is_small_factor = [](const auto& entry) {
      return std::abs(entry.second) <= kMaxFactor;
    };
    return factors_.size() <= kMaxTerms && llvm::all_of(factors_, is_small_factor) &&
           std::abs(constant_) <= kMaxConstant;
  }

  int64_t constant() const { return constant_; }
  const llvm::MapVector<Term, int64_t>& factors() const { return factors_; }

  // Whether they differ by their constants only.
  bool has_terms_of(const LinearSum& other) const {
    return factors_.size() == other.factors_.size() &&
           llvm::all_of(factors_, [&](const auto& entry) {
             return other.factors_.lookup(entry.first) == entry.second;
           });
  }

  // Emits a small sum: an i64.
  llvm::Value* emit(llvm::IRBuilderBase& builder) const {
    llvm::Value* sum = builder.getInt64(static_cast<uint64_t>(constant_));
    for (const auto& [term, factor] : factors_) {
      llvm::Value* number = builder.getInt64(static_cast<uint64_t>(factor));
      sum = builder.CreateNSWAdd(sum, builder.CreateNSWMul(extended(builder, term), number));
    }
    return sum;
  }

  // Emits whether a small sum is below 0, with what it adds and what it subtracts on one side each.
  llvm::Value* emit_is_below_0(llvm::IRBuilderBase& builder) const {
    llvm::Value* above = nullptr;
    llvm::Value* below = nullptr;
    const auto add = [&](llvm::Value*& side, llvm::Value* value) {
      side = side ? builder.CreateNSWAdd(side, value) : value;
    };
    for (const auto& [term, factor] : factors_) {
      llvm::Value* wide = extended(builder, term);
      const int64_t count = std::abs(factor);
      if (count != 1) wide = builder.CreateNSWMul(wide, builder.getInt64(count));
      add(factor > 0 ? above : below, wide);
    }
    if (constant_ > 0 || !above) add(above, builder.getInt64(std::max<int64_t>(constant_, 0)));
    if (constant_ < 0 || !below) add(below, builder.getInt64(std::max<int64_t>(-constant_, 0)));
    return builder.CreateICmpSLT(above, below);
  }

 private:
  static llvm::Value* extended(llvm::IRBuilderBase& builder, Term term) {
    return term.getInt() ? builder.CreateSExt(term.getPointer(), builder.getInt64Ty())
                         : builder.CreateZExt(term.getPointer(), builder.getInt64Ty());
  }

  llvm::MapVector<Term, int64_t> factors_;
  int64_t constant_ = 0;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_LINEAR_SUM_H_
