// SPDX-License-Identifier: Apache-2.0
// The loops that run a region for all work-items of a group, one lane packet after the other.
//
//   for row in [0, size.y * size.z)               ; (y, z) counted along
//     for x in [0, size.x) step kLanes            ; !llvm.loop with parallel accesses
//       next = region(..., item = row * size.x + x, local id = (x, y, z), ...)
//
// Two loops, not three: every loop costs compile time in each of its regions' passes, and most
// kernels have one row only.
//
// A lane packet is one call of a region function: for now one work-item. This is the only place
// that knows; a vectorized region changes the step and what is called for the rest.
#ifndef CONCLAVE_COMPILER_PASSES_PACKET_LOOP_H_
#define CONCLAVE_COMPILER_PASSES_PACKET_LOOP_H_

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <vector>

#include "compiler/passes/region.h"

namespace conclave::compiler {

// Work-items that one call of a region function runs.
inline constexpr uint64_t kLanes = 1;

// What a region needs besides the work-item's own position.
struct GroupValues {
  llvm::Value* launch;
  llvm::Value* local_memory;
  llvm::Value* spill;
  llvm::Value* items;
  std::array<llvm::Value*, 3> group_id;
  std::array<llvm::Value*, 3> local_size;
  std::array<llvm::Value*, 3> global_base;
  std::vector<llvm::Value*> arguments;  // the kernel's
};

// Emits the loops at the builder's position, which is left behind them. Returns what the region
// returned for the last work-item: the same for all, since barriers are reached by all or none.
llvm::Value* emit_packet_loops(llvm::IRBuilder<>& builder, const Region& region,
                               const GroupValues& group);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_PASSES_PACKET_LOOP_H_
