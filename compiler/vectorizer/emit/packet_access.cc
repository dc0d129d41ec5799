// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/packet_access.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/emit/lane_shuffles.h"
#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::Align;
using llvm::Type;
using llvm::Value;

// In memory as in a vector: bools and the like are not.
bool is_dense_type(Type* type, const llvm::DataLayout& layout) {
  return llvm::VectorType::isValidElementType(type) &&
         layout.getTypeSizeInBits(type) == 8 * layout.getTypeAllocSize(type);
}

// Lanes that do not run load some value. Where LLVM knows that all of a register's lanes are off,
// it would choose any register for "nothing", and a gather by that one into itself is an illegal
// instruction.
llvm::Constant* of_lanes_off(Type* type) {
  return llvm::Constant::getNullValue(type);
}

}  // namespace

void add_elements(Type* type, uint64_t offset, const llvm::DataLayout& layout,
                  llvm::SmallVectorImpl<Element>& elements) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      add_elements(structure->getElementType(i), offset + fields->getElementOffset(i), layout,
                   elements);
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    uint64_t size = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      add_elements(array->getElementType(), offset + i * size, layout, elements);
  } else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    uint64_t size = layout.getTypeStoreSize(vector->getElementType());
    for (uint64_t i = 0; i < vector->getNumElements(); ++i)
      elements.push_back({vector->getElementType(), offset + i * size});
  } else {
    elements.push_back({type, offset});
  }
}

PacketAccess::PacketAccess(LaneMemory memory, llvm::Instruction* position, unsigned lanes,
                           const llvm::TargetTransformInfo* target)
    : memory_(std::move(memory)),
      builder_(position),
      layout_(position->getDataLayout()),
      lanes_(lanes),
      target_(target) {
  // The alignment of the lanes that run says nothing about a lane that does not.
  if (memory_.mask && memory_.stride)
    memory_.align =
        llvm::commonAlignment(memory_.align, static_cast<uint64_t>(std::abs(*memory_.stride)));
}

bool PacketAccess::has_packet_form() const {
  return llvm::all_of(memory_.elements,
                      [&](const Element& e) { return is_dense_type(e.type, layout_); });
}

bool PacketAccess::is_run() const {
  return memory_.stride && count() == 1 && std::abs(*memory_.stride) == size();
}

bool PacketAccess::is_contiguous() const {
  return is_group() || is_run();
}

bool PacketAccess::is_better_grouped() const {
  if (!has_packet_form()) return false;
  if (is_pattern()) return true;
  if (row_length() != 0) return true;
  if (!memory_.stride) return row_as_integer() != nullptr;
  if (!is_group() || step() > tuning().scalar_step) return false;
  return is_load() || (step() == count() && !(memory_.mask && is_mask_dear()));
}

bool PacketAccess::is_mask_dear() const {
  Type* type = llvm::FixedVectorType::get(memory_.elements[0].type, lanes());
  if (!target_) return type->getScalarSizeInBits() < 32;
  return is_load() ? !target_->isLegalMaskedLoad(type, memory_.align)
                   : !target_->isLegalMaskedStore(type, memory_.align);
}

Parts PacketAccess::load() {
  if (is_pattern()) return load_pattern();
  if (unsigned length = row_length()) return load_rows(length);
  if (is_group()) return load_group();
  if (llvm::IntegerType* row = row_as_integer()) return gather_rows(row);
  Parts parts;
  for (const Element& element : memory_.elements) parts.push_back(load_element(element));
  return parts;
}

void PacketAccess::store(const Parts& parts) {
  if (is_pattern()) return store_pattern(parts);
  if (unsigned length = row_length()) return store_rows(length, parts);
  if (is_group() && count() > 1) return store_group(parts);
  if (llvm::IntegerType* row = row_as_integer()) return scatter_rows(row, parts);
  for (auto [element, part] : llvm::zip(memory_.elements, parts)) store_element(element, part);
}

int64_t PacketAccess::size() const {
  return static_cast<int64_t>(layout_.getTypeStoreSize(memory_.elements[0].type));
}

// Whether the elements of a lane are of one type and follow one another.
bool PacketAccess::is_dense() const {
  for (const auto& [i, element] : llvm::enumerate(memory_.elements))
    if (element.type != memory_.elements[0].type ||
        element.offset - memory_.elements[0].offset != i * static_cast<uint64_t>(size()))
      return false;
  return true;
}

bool PacketAccess::has_fast_instruction(Type* type, Align align) const {
  if (!target_) return true;
  auto* vector = llvm::cast<llvm::VectorType>(type);
  if (is_load())
    return target_->isLegalMaskedGather(vector, align) &&
           !target_->forceScalarizeMaskedGather(vector, align);
  return target_->isLegalMaskedScatter(vector, align) &&
         !target_->forceScalarizeMaskedScatter(vector, align);
}

// Also CPUs whose gathers take longer than loads one by one have them. Where not all lanes run they are
// faster nevertheless: nobody has to find a place for the others.
bool PacketAccess::has_instruction(Type* type, Align align) const {
  if (has_fast_instruction(type, align)) return true;
  constexpr unsigned kLeastBits = 256;
  return tuning().masked_gathers && memory_.mask && !has_known_lanes() && !is_mask_dear() &&
         type->getScalarSizeInBits() >= 32 && type->getPrimitiveSizeInBits() >= kLeastBits;
}

int64_t PacketAccess::lane_offset(unsigned lane) const {
  return memory_.stride ? lane * *memory_.stride : memory_.offsets[lane];
}

Value* PacketAccess::offset_by(Value* base, int64_t offset) {
  return offset == 0 ? base : builder_.CreatePtrAdd(base, builder_.getInt64(offset));
}

Value* PacketAccess::lane_pointer(unsigned lane, uint64_t offset) {
  auto distance = static_cast<int64_t>(offset);
  if (has_known_lanes()) return offset_by(memory_.pointer, distance + lane_offset(lane));
  return offset_by(builder_.CreateExtractElement(memory_.pointers, lane), distance);
}

Value* PacketAccess::all_pointers(const Element& element) {
  Value* all = memory_.pointers;
  if (has_known_lanes()) {
    LaneOffsets distances;
    for (unsigned lane = 0; lane < lanes(); ++lane) distances.push_back(lane_offset(lane));
    all = addresses_behind(builder_, memory_.pointer, distances);
  }
  return offset_by(all, static_cast<int64_t>(element.offset));
}

// Where the elements of all lanes begin, if they follow one another, forwards or backwards.
Value* PacketAccess::first_of_run(const Element& element, int64_t element_size) {
  if (!memory_.stride || std::abs(*memory_.stride) != element_size) return nullptr;
  int64_t back = *memory_.stride < 0 ? element_size * (lanes() - 1) : 0;
  return offset_by(memory_.pointer, static_cast<int64_t>(element.offset) - back);
}

Value* PacketAccess::load_element(const Element& element) {
  auto* type = llvm::FixedVectorType::get(element.type, lanes());
  Align align = llvm::commonAlignment(memory_.align, element.offset);
  auto element_size = static_cast<int64_t>(layout_.getTypeStoreSize(element.type));
  if (Value* first = first_of_run(element, element_size)) {
    if (*memory_.stride > 0) return load_vector(type, first, align, memory_.mask);
    // The address was that of the last element.
    Align last = llvm::commonAlignment(align, element_size);
    return reverse(load_vector(type, first, last, reverse(memory_.mask)));
  }
  return gather(element, align);
}

void PacketAccess::store_element(const Element& element, Value* value) {
  Align align = llvm::commonAlignment(memory_.align, element.offset);
  auto element_size = static_cast<int64_t>(layout_.getTypeStoreSize(element.type));
  if (Value* first = first_of_run(element, element_size)) {
    if (*memory_.stride > 0) return store_vector(value, first, align, memory_.mask);
    return store_vector(reverse(value), first, llvm::commonAlignment(align, element_size),
                        reverse(memory_.mask));
  }
  scatter(element, value, align);
}

// Constant distances are parts of the instructions.
Value* PacketAccess::load_lanes(const Element& element, Align align) {
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element.type, lanes()));
  for (unsigned lane = 0; lane < lanes(); ++lane) {
    auto* one = builder_.CreateAlignedLoad(element.type, lane_pointer(lane, element.offset), align);
    result = builder_.CreateInsertElement(result, annotate(one), lane);
  }
  return result;
}

void PacketAccess::store_lanes(const Element& element, Value* value, Align align) {
  for (unsigned lane = 0; lane < lanes(); ++lane) {
    Value* one = builder_.CreateExtractElement(value, lane);
    annotate(builder_.CreateAlignedStore(one, lane_pointer(lane, element.offset), align));
  }
}

Value* PacketAccess::gather(const Element& element, Align align) {
  auto* type = llvm::FixedVectorType::get(element.type, lanes());
  const bool has_one = is_volatile() || has_instruction(type, align);
  if (!has_one && has_known_lanes() && !memory_.mask) return load_lanes(element, align);
  Value* pointers = all_pointers(element);
  Value* mask = memory_.mask;
  // Lanes that do not run read what another one reads: no branch for each of them.
  if (mask && !has_one)
    pointers = take_addresses_from_last(builder_, pointers, std::exchange(mask, nullptr));
  llvm::Constant* off = mask ? of_lanes_off(type) : nullptr;
  auto* load = builder_.CreateMaskedGather(type, pointers, align, mask, off);
  keep_if_volatile();
  return annotate(load);
}

void PacketAccess::scatter(const Element& element, Value* value, Align align) {
  const bool has_one = is_volatile() || has_instruction(value->getType(), align);
  if (!has_one && has_known_lanes() && !memory_.mask) return store_lanes(element, value, align);
  Value* pointers = all_pointers(element);
  Value* mask = memory_.mask;
  // Lanes that do not run write what the last one does that runs, which is the last to write
  // something else there.
  if (mask && !has_one) {
    value = take_from_last(builder_, value, mask);
    pointers = take_addresses_from_last(builder_, pointers, std::exchange(mask, nullptr));
  }
  annotate(builder_.CreateMaskedScatter(value, pointers, align, mask));
  keep_if_volatile();
}

Value* PacketAccess::load_vector(Type* type, Value* pointer, Align align, Value* mask) {
  if (mask) {
    auto* load = builder_.CreateMaskedLoad(type, pointer, align, mask, of_lanes_off(type));
    keep_if_volatile();
    return annotate(load);
  }
  return annotate(builder_.CreateAlignedLoad(type, pointer, align, is_volatile()));
}

void PacketAccess::store_vector(Value* value, Value* pointer, Align align, Value* mask) {
  if (!mask) {
    annotate(builder_.CreateAlignedStore(value, pointer, align, is_volatile()));
    return;
  }
  annotate(builder_.CreateMaskedStore(value, pointer, align, mask));
  keep_if_volatile();
}

// LLVM has no masked access that is volatile, and takes the value of one from another. It does not
// across a fence between a thread and its signal handlers, which is no instruction.
void PacketAccess::keep_if_volatile() {
  if (is_volatile())
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                         llvm::SyncScope::SingleThread);
}

bool PacketAccess::is_volatile() const {
  return llvm::cast<llvm::Instruction>(memory_.instructions.front())->isVolatile();
}

Value* PacketAccess::reverse(Value* vector) {
  return vector ? builder_.CreateVectorReverse(vector) : nullptr;
}

llvm::Instruction* PacketAccess::annotate(llvm::Instruction* access) {
  return llvm::propagateMetadata(access, memory_.instructions);
}

}  // namespace conclave::compiler
