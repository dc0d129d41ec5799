// SPDX-License-Identifier: Apache-2.0
// Values that are made of the lanes' ids by shifts and masks. A packet begins with a multiple of W
// work-items, so what each lane has more than lane 0 may be known although it is no multiple of the
// lane's number:
//
//                                    ; for 8 lanes    0  1  2  3  4  5  6  7
//   %in = and i64 %id, 1             ;                0  1  0  1  0  1  0  1
//   %block = lshr i64 %id, 1         ; lane 0's plus  0  0  1  1  2  2  3  3
//   %begin = shl i64 %block, 2       ; lane 0's plus  0  0  4  4  8  8 12 12
//   %low = or i64 %begin, %in        ; lane 0's plus  0  1  4  5  8  9 12 13
//
// Sums and products with constants keep such differences, whether or not the bits overlap, as in
// `(id >> 3) + 66 * (id & 7)`; extensions do where ids and masks leave no lane room to wrap around.
//
// Like strided values, these go on as the scalar instruction, which calculates what lane 0 has.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_PATTERNS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_PATTERNS_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {

// The difference of each lane from lane 0, modulo the type's range, in bytes for pointers.
using LaneOffsets = llvm::SmallVector<int64_t, 16>;

// The offsets of `lanes` lanes at one distance.
LaneOffsets steps(int64_t stride, unsigned lanes);

class LanePatterns {
 public:
  LanePatterns(llvm::Function& region, const LaneIds& ids, const Shapes& shapes, unsigned lanes);

  // The offsets of an instruction whose shape is not strided; null if nothing is known.
  const LaneOffsets* offsets(const llvm::Value* value) const;
  // The number of which each lane has its own multiple, by the value's shape or its offsets.
  std::optional<int64_t> stride(const llvm::Value* value) const;

 private:
  // Lane i has base + parts[i], where the base, the same for all lanes, is a multiple of 2^zeros.
  // Parts of integers are below that: there are no carries.
  struct Pattern {
    llvm::SmallVector<uint64_t, 16> parts;
    unsigned zeros;
  };

  std::optional<Pattern> of(const llvm::Value* value) const;
  std::optional<Pattern> infer(const llvm::Instruction& instruction) const;
  std::optional<Pattern> infer_binary(const llvm::BinaryOperator& operation) const;
  std::optional<Pattern> infer_shift(const llvm::BinaryOperator& shift) const;
  std::optional<Pattern> infer_cast(const llvm::CastInst& cast) const;
  std::optional<Pattern> infer_address(const llvm::GetElementPtrInst& address) const;

  // What a lane has more than lane 0, modulo the type's range.
  std::optional<LaneOffsets> difference(const llvm::Value* value) const;
  std::optional<LaneOffsets> infer_difference(const llvm::Instruction& instruction) const;
  void add_difference(const llvm::Instruction& instruction, LaneOffsets difference);
  // No lane is above it, read without sign, whether or not it runs.
  uint64_t max(const llvm::Value* value) const;
  uint64_t infer_max(const llvm::Instruction& instruction) const;

  const LaneIds& ids_;
  const Shapes& shapes_;
  unsigned lanes_;
  llvm::DenseMap<const llvm::Value*, Pattern> patterns_;
  llvm::DenseMap<const llvm::Value*, uint64_t> max_;
  llvm::DenseMap<const llvm::Value*, LaneOffsets> offsets_;
  llvm::DenseMap<const llvm::Value*, int64_t> strides_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_PATTERNS_H_
