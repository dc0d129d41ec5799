// SPDX-License-Identifier: Apache-2.0
// How a value differs from lane to lane, in a function whose branches are the same for all lanes.
//
//   %id                                ; stride 1, and small
//   %i = trunc i64 %id to i32          ; stride 1, exact: no lane wraps
//   %j = shl nsw i32 %i, 1             ; stride 2
//   %k = sext i32 %j to i64            ; stride 2, because %j is exact
//   %p = getelementptr float, %a, %k   ; stride 8: bytes
//   %x = load float, ptr %p            ; varying
//   %y = load float, ptr %a            ; stride 0: uniform
//
//   %u = zext i32 (%i + %n) to i64     ; assumed stride 1: lane 1 may be 0 and lane 0 4294967295
//
// A strided value of lane i is that of lane 0 plus i times a constant, modulo its type's range, so
// that the scalar instruction goes on to calculate it, for lane 0.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_SHAPES_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_SHAPES_H_

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "compiler/vectorizer/analysis/lane_ids.h"

namespace conclave::compiler {

struct Shape {
  enum Kind { kUnknown, kStrided, kVarying };
  Kind kind = kUnknown;
  int64_t stride = 0;
  // Lane i is lane 0 plus i * stride as mathematical integers too, the values being read with or
  // without sign.
  bool signed_exact = false;
  bool unsigned_exact = false;
  // No lane is above it, read without sign.
  uint64_t max = ~uint64_t{0};
  // All of this is true only if some value that it is calculated from does not wrap within the
  // packet, which nothing is known about: to be checked where it matters.
  bool is_assumed = false;

  bool operator==(const Shape&) const = default;
};

// Lane 0's `value` lies in this range exactly if no lane of the packet wraps.
struct WrapCheck {
  llvm::Value* value;
  bool is_signed;
  llvm::APInt min, max;
};

// Pointers to private memory, and how many bytes further each lane's own is than the one before.
using LaneStrides = llvm::DenseMap<const llvm::Instruction*, uint64_t>;

class Shapes {
 public:
  Shapes(llvm::Function& region, const LaneIds& ids, unsigned lanes,
         LaneStrides lane_strides = LaneStrides());

  // Nothing where the value is not strided.
  std::optional<int64_t> stride(const llvm::Value* value) const;
  bool is_uniform(const llvm::Value* value) const { return stride(value) == 0; }
  // Whether a strided value of lanes that all run wraps in none of them.
  bool is_exact(const llvm::Value* value, bool is_signed) const;

  // The stride of a value that is strided if no lane wraps; never 0.
  std::optional<int64_t> assumed_stride(const llvm::Value* value) const;
  // Whether the addresses of neighbouring lanes are unknown, or a cache line apart or more.
  bool are_lanes_far(const llvm::Value* pointer) const;
  // The check that an instruction's assumption needs in addition to those of its operands.
  std::optional<WrapCheck> check_of(const llvm::Instruction& instruction) const;
  // Strided instructions calculate what lane 0 has even if that lane does not run: then it may have
  // any value. Whether a `zext nneg` must become a `sext`, because that value may be below 0.
  bool extends_with_sign(const llvm::Instruction& extension) const;
  // Whether lane 0 cannot wrap where the other lanes do not.
  bool is_flag_true_of_all(const llvm::BinaryOperator& operation, bool is_signed) const;
  // Whether lane 0 may wrap next to the end of the range although the lanes that run do not: then
  // the operands' values with more bits give what the others' are a stride away from.
  bool may_wrap_with_sign(const llvm::Value* value) const {
    return may_wrap_with_sign_.contains(value);
  }
  bool has_uniform_operands(const llvm::Instruction& instruction) const;

 private:
  Shape of(const llvm::Value* value) const;
  bool update(const llvm::Instruction& instruction);

  // These infer a shape from the operands.
  Shape infer(const llvm::Instruction& instruction) const;
  Shape infer_operation(const llvm::Instruction& instruction) const;
  Shape infer_assumed(const llvm::Instruction& instruction) const;
  Shape infer_binary(const llvm::BinaryOperator& operation) const;
  Shape infer_cast(const llvm::CastInst& cast) const;
  Shape infer_address(const llvm::GetElementPtrInst& address) const;
  Shape infer_select(const llvm::SelectInst& select) const;
  Shape infer_phi(const llvm::PHINode& phi) const;
  bool wraps_in_lane_0(const llvm::Instruction& instruction) const;
  bool operands_unknown(const llvm::Instruction& instruction) const;

  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
  llvm::SmallPtrSet<const llvm::Value*, 8> consecutive_;
  llvm::SmallPtrSet<const llvm::Value*, 8> small_;
  llvm::SmallPtrSet<const llvm::Value*, 8> local_;
  llvm::SmallPtrSet<const llvm::Value*, 8> may_wrap_with_sign_;
  LaneStrides lane_strides_;
  unsigned lanes_;
};

// The shapes of a function that says what its lanes and rows are (lane_ids.h), for any number of
// them. They are found when they are first asked for.
class FunctionShapes {
 public:
  FunctionShapes(llvm::Function& function, LaneIdsAnalysis::Result ids)
      : function_(&function), ids_(std::move(ids)) {}

  const Shapes& along_lanes(unsigned lanes) { return find(along_lanes_, ids_.lanes, lanes); }
  const Shapes& along_rows(unsigned rows) { return find(along_rows_, ids_.rows, rows); }

 private:
  using Known = std::map<unsigned, Shapes>;

  const Shapes& find(Known& known, const LaneIds& ids, unsigned count) {
    return known.try_emplace(count, *function_, ids, count).first->second;
  }

  llvm::Function* function_;
  LaneIdsAnalysis::Result ids_;
  Known along_lanes_, along_rows_;
};

class ShapesAnalysis : public llvm::AnalysisInfoMixin<ShapesAnalysis> {
 public:
  using Result = FunctionShapes;
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  friend llvm::AnalysisInfoMixin<ShapesAnalysis>;
  static llvm::AnalysisKey Key;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_SHAPES_H_
