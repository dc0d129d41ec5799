// SPDX-License-Identifier: Apache-2.0
// One load or store of all lanes, in the form that the distance of the lanes allows.
//
//   load <W x float>, ptr %p                 ; stride 4; llvm.masked.load if not all lanes run
//   load of W - 1 elements back, reversed    ; stride -4
//   two loads and a shuffle                  ; stride 8 to 16
//   W loads of <4 x float>, transposed       ; four elements that follow one another in each lane
//   llvm.masked.gather of i64, taken apart   ; the same with two
//   up to four loads and a shuffle           ; other known places that are close to each other
//   W loads                                  ; any other constant stride
//   llvm.masked.gather                       ; all else
//
// Stores likewise. Known places are in packet_patterns.cc, several elements of each lane in
// packet_rows.cc.
#ifndef CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_ACCESS_H_
#define CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_ACCESS_H_

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "compiler/vectorizer/emit/packet_values.h"

namespace conclave::compiler {

// A scalar of an accessed value, and where it is.
struct Element {
  llvm::Type* type;
  uint64_t offset;
};

// The elements that lanes load or store, and their places.
struct LaneMemory {
  llvm::SmallVector<Element> elements;
  llvm::Value* pointer;           // lane 0's
  std::optional<int64_t> stride;  // bytes from one lane to the next
  LaneOffsets offsets;            // bytes behind lane 0's, if these are known and no stride
  llvm::Value* pointers;          // of all lanes: set where there is neither
  llvm::Align align;
  llvm::Value* mask;  // <W x i1>; null if all lanes run
  // The instruction that does all of this, or several of one kind.
  llvm::SmallVector<llvm::Value*, 4> instructions;
};

class PacketAccess {
 public:
  // Emits before `position`. `target` is null where all masked forms are instructions.
  PacketAccess(LaneMemory memory, llvm::Instruction* position, unsigned lanes,
               const llvm::TargetTransformInfo* target);

  // Whether the elements have a form as vectors.
  bool has_packet_form() const;
  // Whether each lane has one element, next to those of its neighbours.
  bool is_run() const;
  // Whether the lanes' elements lie in one range of memory.
  bool is_contiguous() const;
  // Whether each lane's elements are loaded or stored as rows of 16 bytes.
  bool is_in_rows() const { return row_length() != 0; }
  // Whether the elements of several instructions are better accessed together.
  bool is_better_grouped() const;
  // Whether the target has no instruction for such a masked access, if it is contiguous.
  bool is_mask_dear() const;

  Parts load();
  void store(const Parts& parts);

 private:
  unsigned lanes() const { return lanes_; }
  bool is_load() const { return llvm::isa<llvm::LoadInst>(memory_.instructions[0]); }
  bool is_volatile() const;
  void keep_if_volatile();
  int64_t count() const { return static_cast<int64_t>(memory_.elements.size()); }
  int64_t size() const;
  int64_t step() const { return *memory_.stride / size(); }
  bool is_dense() const;
  bool is_group() const;
  bool has_known_lanes() const { return memory_.stride || !memory_.offsets.empty(); }
  bool is_pattern() const;
  unsigned row_length() const;
  bool is_done_by_all_lanes() const;
  bool has_fast_instruction(llvm::Type* type, llvm::Align align) const;
  bool has_instruction(llvm::Type* type, llvm::Align align) const;

  int64_t lane_offset(unsigned lane) const;
  LaneOffsets pattern_places() const;
  int64_t pattern_begin() const;
  Parts load_pattern();
  void store_pattern(const Parts& parts);
  unsigned pattern_row() const;

  llvm::Value* group_mask();
  Parts load_group();
  Parts load_sparse_group(unsigned width);
  void store_group(const Parts& parts);
  llvm::IntegerType* row_as_integer() const;
  Parts gather_rows(llvm::IntegerType* row);
  void scatter_rows(llvm::IntegerType* row, const Parts& parts);
  Parts load_rows(unsigned length);
  void store_rows(unsigned length, Parts parts);

  llvm::Value* offset_by(llvm::Value* base, int64_t offset);
  llvm::Value* lane_pointer(unsigned lane, uint64_t offset);
  llvm::Value* all_pointers(const Element& element);
  llvm::Value* first_of_run(const Element& element, int64_t element_size);
  llvm::Value* load_element(const Element& element);
  void store_element(const Element& element, llvm::Value* value);
  llvm::Value* load_lanes(const Element& element, llvm::Align align);
  void store_lanes(const Element& element, llvm::Value* value, llvm::Align align);
  llvm::Value* gather(const Element& element, llvm::Align align);
  void scatter(const Element& element, llvm::Value* value, llvm::Align align);
  llvm::Value* load_vector(llvm::Type* type, llvm::Value* pointer, llvm::Align align,
                           llvm::Value* mask);
  void store_vector(llvm::Value* value, llvm::Value* pointer, llvm::Align align, llvm::Value* mask);
  llvm::Value* reverse(llvm::Value* vector);
  llvm::Instruction* annotate(llvm::Instruction* access);

  LaneMemory memory_;
  llvm::IRBuilder<> builder_;
  const llvm::DataLayout& layout_;
  unsigned lanes_;
  const llvm::TargetTransformInfo* target_;
};

// The elements of a value of `type` whose first one is at `offset`.
void add_elements(llvm::Type* type, uint64_t offset, const llvm::DataLayout& layout,
                  llvm::SmallVectorImpl<Element>& elements);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_EMIT_PACKET_ACCESS_H_
