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

// How many shares of one mask by one pair of operands are looked at. More are rare.
constexpr size_t kMostShares = 4;

// The lanes of `whole` for which the predicate holds of the comparison's operands.
struct Share {
  Value* whole;
  CmpInst* comparison;
  CmpInst::Predicate predicate;  // the comparison's, or its inverse
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
      return Share{whole, comparison,
                   is_negated ? comparison->getInversePredicate() : comparison->getPredicate()};
  }
  return std::nullopt;
}

struct KnownShare {
  Instruction* mask;
  CmpInst::Predicate predicate;
};

}  // namespace

llvm::PreservedAnalyses ShareComparisons::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  // By what they are shares of, and what is compared.
  std::map<std::array<const Value*, 3>, llvm::SmallVector<KnownShare, 2>> known_shares;
  llvm::SmallVector<std::pair<Instruction*, Instruction*>> shares;  // one, and its complement
  for (Instruction& mask : llvm::instructions(function)) {
    const std::optional<Share> share = share_of(mask);
    if (!share) continue;
    const CmpInst& comparison = *share->comparison;
    auto& known = known_shares[{share->whole, comparison.getOperand(0), comparison.getOperand(1)}];
    const CmpInst::Predicate inverse = CmpInst::getInversePredicate(share->predicate);
    const auto* first = llvm::find_if(known, [&](const KnownShare& other) {
      return other.predicate == inverse && dominators.dominates(other.mask, &mask);
    });
    if (first != known.end())
      shares.emplace_back(first->mask, &mask);
    else if (known.size() < kMostShares)
      known.push_back({&mask, share->predicate});
  }
  for (const auto& [first, second] : shares) {
    llvm::IRBuilder<> builder(second);
    Value* whole = share_of(*second)->whole;  // perhaps the new form of one of these
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
