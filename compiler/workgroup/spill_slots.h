// SPDX-License-Identifier: Apache-2.0
// Decides what a kernel keeps in the spill area across its barriers.
#ifndef CONCLAVE_COMPILER_WORKGROUP_SPILL_SLOTS_H_
#define CONCLAVE_COMPILER_WORKGROUP_SPILL_SLOTS_H_

#include <llvm/ADT/SparseBitVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <vector>

#include "compiler/base/region.h"
#include "compiler/workgroup/barrier_cuts.h"

namespace conclave::compiler {

// One thing that is kept for each work-item, or once for all.
struct SpillSlot {
  llvm::AllocaInst* variable;  // the alloca that holds it between barriers
  // True: an SSA value, in `variable` only while a region runs. False: `variable` is a private
  // array that lives in the spill area itself.
  bool is_value;
  // A value that is the same for all work-items: kept in the first one's place.
  bool is_uniform;
  // The type that it is kept as. Booleans and other values of odd bits are kept as whole bytes,
  // since packets load and store these as vectors.
  llvm::Type* type;
  Crossings crossings;  // barriers across which it must survive
  uint64_t size;        // bytes, a multiple of `alignment`
  uint64_t alignment;
  uint64_t offset;  // in units of one byte per work-item
};

struct SpillLayout {
  std::vector<SpillSlot> slots;
  uint64_t bytes = 0;                   // per work-item
  std::vector<KeptMemory> kept_memory;  // the slots that hold no values
};

// Demotes every value that is live across a barrier to an alloca and assigns all slots.
SpillLayout assign_spill_slots(llvm::Function& kernel, const BarrierCuts& cuts,
                               llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_SPILL_SLOTS_H_
