// SPDX-License-Identifier: Apache-2.0
// Addresses that are calculated from ids and may turn out, when the kernel runs, to follow one
// another from lane to lane although nothing says so beforehand:
//
//   in[clamp(x + 1, 0, width - 1)]           ; they do away from the edge
//   keys[2 * n * (id / n) + id % n]          ; they do where n is W or more
//   x[id * increment + offset]               ; they do where the increment is 1, as programs for linear
//                                              algebra are mostly called
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_RUNS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_RUNS_H_

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <utility>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// id * increment + offset - ...
struct IncrementedIndex {
  llvm::Value* id;            // the next lane's is one more
  llvm::Argument* increment;  // the same for all lanes
  // What is added to the product step by step, the last one first, and the same for all lanes.
  llvm::SmallVector<std::pair<llvm::Instruction::BinaryOps, llvm::Value*>, 2> offsets;
};

class LaneRun {
 public:
  // Nothing where the address depends on more than one value that differs from lane to lane, or on
  // one that does not come from ids alone, or from ids and an increment.
  static std::optional<LaneRun> find(llvm::Value* pointer, const llvm::DataLayout& layout,
                                     const PacketValues& values);

  // Bytes from lane to lane where they follow one another.
  int64_t stride() const { return stride_; }
  // Whether that depends on an increment.
  bool has_increment() const { return incremented_.has_value(); }
  // Whether they do: an i1.
  llvm::Value* is_there(llvm::IRBuilderBase& builder, PacketValues& values);
  // Lane 0's address then, to be asked for after that.
  llvm::Value* pointer(llvm::IRBuilderBase& builder) const;

 private:
  llvm::Value* has_increment_of_one(llvm::IRBuilderBase& builder, PacketValues& values);
  llvm::Value* follows_itself(llvm::IRBuilderBase& builder, PacketValues& values);

  llvm::Value* base_ = nullptr;
  llvm::MapVector<llvm::Value*, llvm::APInt> offsets_;  // the same for all lanes, times a number
  int64_t offset_ = 0;
  llvm::Value* index_ = nullptr;  // differs from lane to lane
  bool is_signed_ = true;         // how it is extended to an address
  int64_t stride_ = 0;
  // If the index is that of a vector with increments: its sum, of which the product comes first.
  std::optional<IncrementedIndex> incremented_;
  llvm::Value* first_ = nullptr;  // the index of lane 0
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_LANE_RUNS_H_
