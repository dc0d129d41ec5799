// SPDX-License-Identifier: Apache-2.0
// Where a kernel is cut, and what is live there.
//
//   a:                                  a:       ... ; br stop.1
//     ...                               stop.1:  br after.1
//     call @_Z7barrierj(i32 1)     =>   after.1: ...
//     ...
#ifndef CONCLAVE_COMPILER_WORKGROUP_BARRIER_CUTS_H_
#define CONCLAVE_COMPILER_WORKGROUP_BARRIER_CUTS_H_

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace conclave::compiler {

struct BarrierCut {
  llvm::BasicBlock* stop;   // only a branch to `after`; the work-item stops here
  llvm::BasicBlock* after;  // only predecessor: `stop`
};

// Cuts at every barrier call and removes the calls.
std::vector<BarrierCut> cut_at_barriers(llvm::Function& kernel);

// The barriers across which an SSA value is live: bit i is set if the value is defined before and
// used after cuts[i]. Empty for values that are never used in another block.
llvm::BitVector crossings_of_value(llvm::Instruction& value, llvm::ArrayRef<BarrierCut> cuts);

// What the kernel does with the memory of one alloca.
struct AllocaUse {
  llvm::SmallPtrSet<llvm::Value*, 8> pointers;  // the alloca and all that is derived from it
  llvm::SmallPtrSet<llvm::Instruction*, 16> accesses;
  bool escapes = false;  // its address is stored or passed on
};
AllocaUse find_uses(llvm::AllocaInst& alloca);

// The barriers across which the content of an alloca must survive.
llvm::BitVector crossings_of_memory(const AllocaUse& use, llvm::ArrayRef<BarrierCut> cuts);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_BARRIER_CUTS_H_
