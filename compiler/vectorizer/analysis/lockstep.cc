// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lockstep.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

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

class Neighbours {
 public:
  explicit Neighbours(llvm::Function& region)
      : ids_(lane_ids_along(region, 0)),
        shapes_(region, ids_, kLanesInStep),
        patterns_(region, ids_, shapes_, kLanesInStep) {}

  // Whether lanes access neighbouring elements.
  bool meet_at(const Instruction& access) const {
    const Value* pointer = llvm::getLoadStorePointerOperand(&access);
    auto stride = shapes_.stride(pointer);
    if (!stride) stride = patterns_.stride(pointer);
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
  if (stores.empty() || loads.empty()) return false;
  const Neighbours neighbours(region);
  for (const llvm::StoreInst* store : stores)
    for (const llvm::LoadInst* load : loads) {
      const Value* written = store->getPointerOperand();
      const Value* read = load->getPointerOperand();
      if (written != read &&
          llvm::getUnderlyingObject(written) == llvm::getUnderlyingObject(read) &&
          neighbours.meet_at(*store) && neighbours.meet_at(*load) &&
          llvm::isPotentiallyReachable(store, load))
        return true;
    }
  return false;
}

}  // namespace conclave::compiler
