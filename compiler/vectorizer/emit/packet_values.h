// SPDX-License-Identifier: Apache-2.0
// The forms in which the values of a function exist while it is packetized.
//
//   uniform, strided    the scalar value, which is that of lane 0; the same where what
//                       the lanes have more is known otherwise (lane_patterns.h)
//   varying float       <W x float>
//   varying <4 x float> 4 parts of <W x float>; structs and arrays likewise, part by part
//
// A uniform or strided value gets its parts when they are first asked for, where it is defined:
//
//   %i = add i64 %id, 5
//   =>
//   %i = add i64 %id, 5
//   %i.splat = <splat of %i>
//   %i.parts[0] = add <4 x i64> %i.splat, <i64 0, i64 1, i64 2, i64 3>
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_VALUES_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_VALUES_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

#include "compiler/vectorizer/analysis/lane_patterns.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {

using Parts = llvm::SmallVector<llvm::Value*, 4>;

// The scalars that a type consists of, in order; more than `limit` + 1 are not listed.
llvm::SmallVector<llvm::Type*> scalar_types(llvm::Type* type, unsigned limit = 1024);

// Returns the index of the first scalar, in a value of `type`, of the element that `indices` lead
// to.
unsigned first_scalar(llvm::Type* type, llvm::ArrayRef<unsigned> indices);

class PacketValues {
 public:
  PacketValues(llvm::Function& region, const Shapes& shapes, const LanePatterns& patterns,
               unsigned lanes, PartRemarks& remarks)
      : region_(region), shapes_(shapes), patterns_(patterns), lanes_(lanes), remarks_(remarks) {}

  unsigned lanes() const { return lanes_; }
  PartRemarks& remarks() const { return remarks_; }
  const LanePatterns& patterns() const { return patterns_; }
  llvm::FixedVectorType* packet_type(llvm::Type* scalar) const {
    return llvm::FixedVectorType::get(scalar, lanes_);
  }
  bool is_uniform(const llvm::Value* value) const { return stride(value) == 0; }
  std::optional<int64_t> stride(const llvm::Value* value) const;
  // The difference of each lane from lane 0 for a value that is not strided; null if nothing is
  // known.
  const LaneOffsets* offsets(const llvm::Value* value) const {
    return stride(value) ? nullptr : patterns_.offsets(value);
  }
  bool is_exact(const llvm::Value* value, bool is_signed) const {
    return shapes_.is_exact(value, is_signed);
  }
  std::optional<int64_t> assumed_stride(const llvm::Value* value) const {
    return shapes_.assumed_stride(value);
  }
  // Whether no lane wraps on the way to a value whose stride is assumed: an i1.
  llvm::Value* no_lane_wraps(llvm::Value* value);

  // Whether the argument is 1: an i1, calculated once.
  llvm::Value* is_one(llvm::Argument& argument);

  Parts parts(llvm::Value* value);
  // The vector of a value that has one part.
  llvm::Value* vector(llvm::Value* value) { return parts(value)[0]; }
  void define(llvm::Value* value, Parts parts) { parts_[value] = std::move(parts); }
  // The parts of what all lanes have.
  Parts repeat(llvm::IRBuilderBase& builder, llvm::Value* value) const;

  // The memory in which a loop over lanes keeps its vector number `index` of a type.
  llvm::AllocaInst* loop_memory(llvm::Type* type, unsigned index);

  // The value as one lane has it; `lane` is an i32.
  llvm::Value* of_lane(llvm::IRBuilderBase& builder, llvm::Value* value, llvm::Value* lane);

 private:
  Parts make_parts(llvm::Value* value);

  llvm::Function& region_;
  const Shapes& shapes_;
  const LanePatterns& patterns_;
  unsigned lanes_;
  PartRemarks& remarks_;
  llvm::DenseMap<llvm::Value*, Parts> parts_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> no_lane_wraps_;
  llvm::DenseMap<const llvm::Argument*, llvm::Value*> is_one_;
  llvm::DenseMap<llvm::Type*, llvm::SmallVector<llvm::AllocaInst*, 2>> loop_memory_;
};

// Returns the addresses at these distances from one, in bytes, a vector.
llvm::Value* addresses_behind(llvm::IRBuilderBase& builder, llvm::Value* pointer,
                              const LaneOffsets& distances);

// A value of `type` from its scalars, and the other way round.
llvm::Value* assemble(llvm::IRBuilderBase& builder, llvm::Type* type,
                      llvm::ArrayRef<llvm::Value*> scalars);
Parts take_apart(llvm::IRBuilderBase& builder, llvm::Value* value);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_VALUES_H_
