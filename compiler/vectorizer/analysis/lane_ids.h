// SPDX-License-Identifier: Apache-2.0
// What the vectorizer is told of a region function: which values make the lanes differ.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_IDS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_IDS_H_

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace conclave::compiler {

// More than a work-group, or several that run as one row, have in a dimension: the device allows
// 16,384 work-items, and `row_items` in base/tuning.def bounds rows.
inline constexpr uint64_t kMostLocal = uint64_t{1} << 21;

struct LaneIds {
  // Lane i has the value of lane 0 plus i: the local id of the vectorised dimension, and the linear
  // one. All other arguments are the same for all lanes.
  llvm::SmallVector<llvm::Value*> consecutive;
  // The consecutive ids that are a multiple of the number of lanes in lane 0.
  llvm::SmallVector<llvm::Value*> aligned;
  // At least 0 and below 2^31 in every lane: local ids, and global ids computed from them. Whoever
  // calls the vector function has made sure.
  llvm::SmallVector<llvm::Value*> small;
  // Below kMostLocal in every lane: local ids, and sizes of work-groups. So the sum of two of them
  // does not wrap around in an `int`.
  llvm::SmallVector<llvm::Value*> local;
  // Which lanes run at all, lane 0 always being one of them: an i1 of the entry block. Null: all.
  llvm::Instruction* active = nullptr;
};

// How functions tell what their lanes are.
//
//   define i32 @k.region.0(<hidden>, ...) "conclave-lanes"="0"         ; dimension of a region
//   define void @f(i64 "conclave-lane" %x, i64 "conclave-small" %n) "conclave-lanes"
//                                                                       ; parameters of others
//     %active = icmp ult i64 %x, %n, !conclave.active !0
inline constexpr char kLanesAttribute[] = "conclave-lanes";
inline constexpr char kLaneAttribute[] = "conclave-lane";
inline constexpr char kAlignedLaneAttribute[] = "conclave-aligned-lane";
inline constexpr char kSmallAttribute[] = "conclave-small";
inline constexpr char kLocalAttribute[] = "conclave-local";
inline constexpr char kRowAttribute[] = "conclave-row";
inline constexpr char kActiveMetadata[] = "conclave.active";

// The lanes of a function that says so; without any for others. `rows` are the ids that count rows
// of lanes, which row_jam.h takes together.
class LaneIdsAnalysis : public llvm::AnalysisInfoMixin<LaneIdsAnalysis> {
 public:
  struct Result {
    LaneIds lanes;
    LaneIds rows;
    bool has_lanes = false;
  };
  static Result run(llvm::Function& function, llvm::FunctionAnalysisManager&);

 private:
  friend llvm::AnalysisInfoMixin<LaneIdsAnalysis>;
  static llvm::AnalysisKey Key;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_IDS_H_
