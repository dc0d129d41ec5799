// SPDX-License-Identifier: Apache-2.0
// What lanes tell each other: the operations that OpenCL C's sub-group functions are made of. A
// sub-group is a packet. They are calls of functions without a body, T being a scalar type:
//
//   conclave.sub_group.lane() -> i32            ; the lane's own number
//   conclave.sub_group.ballot(i1) -> i64        ; which active lanes have true
//   conclave.sub_group.first.T(T) -> T          ; the value of the first active lane
//   conclave.sub_group.broadcast.T(T, i32) -> T ; of the lane that the first active lane names
//   conclave.sub_group.shuffle.T(T, i32) -> T   ; of the lane that each lane names
//   conclave.sub_group.reduce.OP.T(T) -> T      ; over all active lanes
//   conclave.sub_group.inclusive.OP.T(T) -> T   ; over the active ones up to the lane itself
//   conclave.sub_group.exclusive.OP.T(T) -> T   ; without the lane itself
//   conclave.sub_group.clustered.OP.T(T, i32) -> T ; over groups of so many lanes, a power of two
//   conclave.sub_group.max_size(i64, i64) -> i32   ; both are constants by the time of
//   conclave.sub_group.lanes() -> i32              ; vectorization, see workgroup/sub_groups.h
//
// OP is add, mul, and, or, xor, min, max, umin or umax. The active lanes are those of the mask of
// the block, so the calls neither move nor go away, and none is done where no lane is active.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_OPERATIONS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_OPERATIONS_H_

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Instructions.h>

namespace conclave::compiler {

struct LaneOperation {
  enum Kind {
    kNone,
    kLane,
    kBallot,
    kFirst,
    kBroadcast,
    kShuffle,
    kReduce,
    kInclusive,
    kExclusive,
    kClustered,
    kMaxSize,
    kLanes,
  };
  Kind kind = kNone;
  llvm::StringRef combine;  // OP
  // All lanes that run it together have the same result.
  bool is_uniform() const {
    return kind == kBallot || kind == kFirst || kind == kBroadcast || kind == kReduce;
  }
};

// kNone for whatever else an instruction is.
LaneOperation lane_operation(const llvm::Instruction& instruction);
bool is_lane_operation(const llvm::Function& function);

// Returns the constant that `combine` leaves any other value unchanged with.
llvm::Constant* identity(llvm::StringRef combine, llvm::Type* type);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_OPERATIONS_H_
