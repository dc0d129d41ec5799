// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/shared_comparisons.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/PatternMatch.h>

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace conclave::compiler {
namespace {

using llvm::CmpInst;
using llvm::Instruction;
using llvm::Value;

// Of one mask by one comparison; more are rare, and not looked at.
constexpr size_t kMostShares = 4;

// The lanes of `whole` for which the comparison is true, or false if it is `negated`.
struct Share {
  Value* whole;
  CmpInst* comparison;
  bool negated;
};

// The mask's share of a larger one, if it is one.
std::optional<Share> share_of(Instruction& mask) {
  using namespace llvm::PatternMatch;
  if (!mask.getType()->isVectorTy()) return std::nullopt;
  Value *a, *b;
  if (!match(&mask, m_LogicalAnd(m_Value(a), m_Value(b)))) return std::nullopt;
  for (const auto& [whole, condition] : {std::pair(a, b), std::pair(b, a)}) {
    Value* negated = nullptr;
    const bool is_negated = match(condition, m_Not(m_Value(negated)));
    if (auto* comparison = llvm::dyn_cast<CmpInst>(is_negated ? negated : condition))
      return Share{whole, comparison, is_negated};
  }
  return std::nullopt;
}

// Whether `one` and `other` are the two shares of a mask.
bool are_complements(const Share& one, const Share& other) {
  if (one.whole != other.whole) return false;
  const CmpInst& a = *one.comparison;
  const CmpInst& b = *other.comparison;
  if (&a == &b) return one.negated != other.negated;
  if (a.getOperand(0) != b.getOperand(0) || a.getOperand(1) != b.getOperand(1)) return false;
  return one.negated == other.negated ? a.getPredicate() == b.getInversePredicate()
                                      : a.getPredicate() == b.getPredicate();
}

}  // namespace

llvm::PreservedAnalyses ShareComparisons::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  // Masks by what they are shares of, and what is compared.
  std::map<std::array<const Value*, 3>, llvm::SmallVector<Instruction*, 2>> kept_masks;
  llvm::SmallVector<std::pair<Instruction*, Instruction*>> shares;  // one, and its complement
  for (Instruction& mask : llvm::instructions(function)) {
    const std::optional<Share> share = share_of(mask);
    if (!share) continue;
    const CmpInst& comparison = *share->comparison;
    auto& masks = kept_masks[{share->whole, comparison.getOperand(0), comparison.getOperand(1)}];
    const auto* first = llvm::find_if(masks, [&](Instruction* other) {
      return dominators.dominates(other, &mask) && are_complements(*share_of(*other), *share);
    });
    if (first != masks.end())
      shares.emplace_back(*first, &mask);
    else if (masks.size() < kMostShares)
      masks.push_back(&mask);
  }
  for (const auto& [first, second] : shares) {
    llvm::IRBuilder<> builder(second);
    Value* whole = share_of(*second)->whole;
    Value* rest = builder.CreateXor(whole, builder.CreateFreeze(first));
    rest->takeName(second);
    second->replaceAllUsesWith(rest);
    second->eraseFromParent();
  }
  if (shares.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace conclave::compiler
