// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lockstep.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <tuple>

#include "compiler/base/address_spaces.h"
#include "compiler/vectorizer/analysis/lane_dimension.h"
#include "compiler/vectorizer/analysis/lane_patterns.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// Loads or stores of volatile local memory.
template <class Access>
llvm::SmallVector<Access*> volatile_local(llvm::Function& region) {
  llvm::SmallVector<Access*> found;
  for (Instruction& instruction : llvm::instructions(region))
    if (auto* access = llvm::dyn_cast<Access>(&instruction);
        access && access->isVolatile() && access->getPointerAddressSpace() == kLocalAddressSpace)
      found.push_back(access);
  return found;
}

// Without what does not change an index that is inside of its array.
const Value* without_casts_and_masks(const Value* value) {
  using namespace llvm::PatternMatch;
  const Value* inner = nullptr;
  while (match(value, m_CombineOr(m_ZExtOrSExt(m_Value(inner)), m_Trunc(m_Value(inner)))) ||
         match(value, m_And(m_Value(inner), m_LowBitMask())))
    value = inner;
  return value;
}

// Whether two addresses are calculated alike; false where that takes long to see.
bool are_alike(const Value* one, const Value* other, unsigned depth = 0) {
  constexpr unsigned kMostDepth = 6;
  one = without_casts_and_masks(one);
  other = without_casts_and_masks(other);
  if (one == other) return true;
  const auto* first = llvm::dyn_cast<Instruction>(one);
  const auto* second = llvm::dyn_cast<Instruction>(other);
  return depth < kMostDepth && first && second && !llvm::isa<llvm::PHINode>(first) &&
         !first->mayReadFromMemory() && first->isSameOperationAs(second) &&
         llvm::all_of(
             llvm::zip(first->operand_values(), second->operand_values()),
             [depth](const auto& pair) {
               return are_alike(std::get<0>(pair), std::get<1>(pair), depth + 1);
             });
}

class Neighbours {
 public:
  explicit Neighbours(llvm::Function& region)
      : ids_(lane_ids_along(region, 0)),
        shapes_(region, ids_, kLanesInStep),
        patterns_(region, ids_, shapes_, kLanesInStep) {}

  // Whether lanes access neighbouring elements.
  bool meet_at(const Instruction& access) const {
    const Value* pointer = llvm::getLoadStorePointerOperand(&access);
    const auto stride = patterns_.stride(pointer);
    llvm::Type* type = llvm::getLoadStoreType(const_cast<Instruction*>(&access));
    return stride == static_cast<int64_t>(type->getPrimitiveSizeInBits() / 8) && *stride != 0;
  }

 private:
  const LaneIds ids_;
  const Shapes shapes_;
  const LanePatterns patterns_;
};

}  // namespace

bool expects_lockstep(llvm::Function& region) {
  const auto stores = volatile_local<llvm::StoreInst>(region);
  const auto loads = volatile_local<llvm::LoadInst>(region);
  constexpr size_t kMostPairs = 4096;  // more are no reduction or scan
  const size_t pairs = stores.size() * loads.size();
  if (pairs == 0 || pairs > kMostPairs) return false;
  const Neighbours neighbours(region);
  for (const llvm::StoreInst* store : stores)
    for (const llvm::LoadInst* load : loads) {
      const Value* written = store->getPointerOperand();
      const Value* read = load->getPointerOperand();
      if (!are_alike(written, read) &&
          llvm::getUnderlyingObject(written) == llvm::getUnderlyingObject(read) &&
          neighbours.meet_at(*store) && neighbours.meet_at(*load) &&
          llvm::isPotentiallyReachable(store, load))
        return true;
    }
  return false;
}

}  // namespace conclave::compiler
