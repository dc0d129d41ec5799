// SPDX-License-Identifier: Apache-2.0
// Where a kernel is cut, and what is live there.
//
//   a:                                  a:       ... ; br stop.1
//     ...                               stop.1:  br after.1
//     call @_Z7barrierj(i32 1)     =>   after.1: ...
//     ...
#ifndef CONCLAVE_COMPILER_WORKGROUP_BARRIER_CUTS_H_
#define CONCLAVE_COMPILER_WORKGROUP_BARRIER_CUTS_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SparseBitVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <string>
#include <vector>

namespace conclave::compiler {

struct BarrierCut {
  llvm::BasicBlock* stop;   // only a branch to `after`; the work-item stops here
  llvm::BasicBlock* after;  // only predecessor: `stop`
};

// The cuts of a kernel, by number and by block. Kernels may have thousands.
class BarrierCuts {
 public:
  unsigned size() const { return static_cast<unsigned>(cuts_.size()); }
  bool empty() const { return cuts_.empty(); }
  const BarrierCut& operator[](unsigned cut) const { return cuts_[cut]; }
  // The cut whose stop this block is, or after which this block begins; -1 if there is none.
  int stopped_by(const llvm::BasicBlock* block) const { return find(by_stop_, block); }
  int begun_by(const llvm::BasicBlock* block) const { return find(by_after_, block); }
  void add(const BarrierCut& cut);

 private:
  using Numbers = llvm::DenseMap<const llvm::BasicBlock*, int>;
  static int find(const Numbers& numbers, const llvm::BasicBlock* block) {
    const auto number = numbers.find(block);
    return number == numbers.end() ? -1 : number->second;
  }

  std::vector<BarrierCut> cuts_;
  Numbers by_stop_, by_after_;
};

// Cuts at every barrier call and removes the calls.
BarrierCuts cut_at_barriers(llvm::Function& kernel);

// The block at whose end a use needs its value: a phi's operand is needed on the incoming edge.
llvm::BasicBlock* block_of(const llvm::Use& use);

// Numbers of cuts across which something must survive.
using Crossings = llvm::SparseBitVector<>;

// The barriers across which an SSA value is live: bit i is set if the value is defined before and
// used after cuts[i]. Empty for values that are live across none.
Crossings crossings_of_value(llvm::Instruction& value, const BarrierCuts& cuts);

Crossings all_crossings(const BarrierCuts& cuts);

// How the kernel uses the memory of one alloca.
struct AllocaUse {
  llvm::SmallPtrSet<llvm::Value*, 8> pointers;  // the alloca and all that is derived from it
  llvm::SmallPtrSet<llvm::Instruction*, 16> accesses;
  bool escapes = false;  // its address is stored or passed on
};
AllocaUse find_uses(llvm::AllocaInst& alloca);

// Why the content of an alloca has not become values, for a remark.
std::string why_not_promoted(const AllocaUse& use);

// The barriers across which the content of an alloca must survive.
Crossings crossings_of_memory(const AllocaUse& use, const BarrierCuts& cuts);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_BARRIER_CUTS_H_
