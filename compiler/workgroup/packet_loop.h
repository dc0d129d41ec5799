// SPDX-License-Identifier: Apache-2.0
// The loops that run a region for all work-items of a group, one lane packet after the other.
//
//   for row in [0, size.y * size.z)               ; (y, z) counted along
//     for x in [0, size.x rounded down) step lanes
//       next = packet(..., item = row * size.x + x, local id = (x, y, z), ...)
//     for x in [..., size.x)                        ; !llvm.loop with parallel accesses, where the
//       next = region(...)                          ; region has no packet form
//
// Where the region has a remainder form, one call of it stands for the second loop. Where packets
// are along another dimension, that one is x, and the others are y and z. A form for several rows
// at once has loops of its own before these, which then have the last rows, and what is left of
// all.
//
// Two loops, not three: every loop costs compile time in each of its regions' passes, and most
// kernels have one row only.
#ifndef CONCLAVE_COMPILER_WORKGROUP_PACKET_LOOP_H_
#define CONCLAVE_COMPILER_WORKGROUP_PACKET_LOOP_H_

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <vector>

#include "compiler/base/region.h"

namespace conclave::compiler {

// The values that a region needs besides the work-item's own position.
struct GroupValues {
  llvm::Value* launch;
  llvm::Value* local_memory;
  llvm::Value* spill;
  llvm::Value* check;
  llvm::Value* items;
  std::array<llvm::Value*, 3> group_id;
  std::array<llvm::Value*, 3> local_size;
  std::array<llvm::Value*, 3> global_base;
  // In which dimension neighbouring groups follow each other, and whether in the other two all ids
  // of the launch are below 2^31: what is asked once needs no code, nor registers, in each group.
  unsigned first_dimension;
  llvm::Value* others_are_small;
  std::vector<llvm::Value*> arguments;         // the kernel's
  std::vector<llvm::Value*> packet_arguments;  // the same, for packets
};

// The loops over groups and rows have this property: a second version of them for a condition that
// stays the same is not worth the code.
inline constexpr char kOuterLoop[] = "conclave.loop.outer";
void mark_outer_loop(llvm::BranchInst& latch);

// Loops over packets whose number is known have this one: they may be unrolled where few are left.
inline constexpr char kCountedLoop[] = "conclave.loop.counted";

// Whether all ids of a range are below 2^31: an i1.
llvm::Value* ids_are_small(llvm::IRBuilder<>& builder, llvm::Value* begin, llvm::Value* size);

// Whether the group's ids and rows are such that its regions run in packets: an i1.
llvm::Value* runs_in_packets(llvm::IRBuilder<>& builder, const std::vector<Region>& regions,
                             const GroupValues& group);

// Emits the loops at the builder's position, which is left behind them; `in_packets` is what
// runs_in_packets() gave, or a constant where it has been decided. Returns what the region returned
// for the last work-item: the same for all, since barriers are reached by all or none.
llvm::Value* emit_packet_loops(llvm::IRBuilder<>& builder, const Region& region,
                               const GroupValues& group, llvm::Value* in_packets);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_PACKET_LOOP_H_
