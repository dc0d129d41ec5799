// SPDX-License-Identifier: Apache-2.0
// Asks, when the kernel runs, whether lanes' addresses follow one another (analysis/lane_runs.h):
//
//   %run = add <8 x i32> (splat %i[4]), <-4, -3, ..., 3>
//   %is_there = icmp eq <8 x i32> %i, %run         ; and so for all lanes that run
//
// Clamps change an index in the first and last lanes, which often do not run: the middle one counts.
// In a loop in which the lanes count, they differ by the same all the time: LLVM takes the question out of
// the loop.
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_RUN_ADDRESS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_RUN_ADDRESS_H_

#include <llvm/IR/IRBuilder.h>

#include "compiler/vectorizer/analysis/lane_runs.h"
#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

class RunAddress {
 public:
  // Emits, by `builder`, whether the lanes follow one another that run by `mask`, which is null if all do.
  RunAddress(const LaneRun& run, llvm::Value* mask, llvm::IRBuilderBase& builder,
             PacketValues& values);

  // Whether they do: an i1.
  llvm::Value* is_there() const { return is_there_; }
  // Lane 0's address then.
  llvm::Value* pointer(llvm::IRBuilderBase& builder) const;
  // Whether all lanes have one address: an i1. For indices without increments.
  llvm::Value* is_one_place(llvm::IRBuilderBase& builder) const;
  // Their address then.
  llvm::Value* place(llvm::IRBuilderBase& builder) const;

 private:
  llvm::Value* has_increment_of_one(llvm::IRBuilderBase& builder, PacketValues& values);
  llvm::Value* follows_itself(llvm::IRBuilderBase& builder, PacketValues& values);
  llvm::Value* differ_by(llvm::IRBuilderBase& builder, llvm::Constant* numbers) const;
  llvm::Value* address_of(llvm::IRBuilderBase& builder, llvm::Value* index) const;

  const LaneRun& run_;
  llvm::Value* mask_;
  llvm::Value* middle_ = nullptr;      // the index of the lane in the middle
  llvm::Value* first_ = nullptr;       // the index of lane 0, if they follow one another
  llvm::Value* difference_ = nullptr;  // a vector whose lanes differ as the lanes' indices do
  llvm::Value* is_there_ = nullptr;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_RUN_ADDRESS_H_
