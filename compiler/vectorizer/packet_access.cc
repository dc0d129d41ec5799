// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/packet_access.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "compiler/vectorizer/lane_shuffles.h"
#include "compiler/vectorizer/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::Align;
using llvm::Type;
using llvm::Value;

// Lanes further apart are loaded one by one: the elements between them are loaded for nothing.
constexpr int64_t kMaxScalarStep = 4;
constexpr int64_t kMaxVectorStep = 8;

// Vectors that cover what the lanes load from known places.
constexpr int64_t kMaxPatternVectors = 4;

// Rows of this size fill the sections that shuffles of wide registers are cheap within.
constexpr int64_t kRowBytes = 16;

constexpr int64_t kLineBytes = 64;

// In memory as in a vector: bools and the like are not.
bool is_dense_type(Type* type, const llvm::DataLayout& layout) {
  return llvm::VectorType::isValidElementType(type) &&
         layout.getTypeSizeInBits(type) == 8 * layout.getTypeAllocSize(type);
}

// What is loaded for lanes that do not run: something. Where LLVM knows that all of a register's
// lanes are off, it would choose any register for "nothing", and a gather by that one into itself
// is an illegal instruction.
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
  // That those lanes are aligned that run says nothing of one that does not.
  if (memory_.mask && memory_.stride)
    memory_.align =
        llvm::commonAlignment(memory_.align, static_cast<uint64_t>(std::abs(*memory_.stride)));
}

bool PacketAccess::has_packet_form() const {
  return llvm::all_of(memory_.elements,
                      [&](const Element& e) { return is_dense_type(e.type, layout_); });
}

bool PacketAccess::is_contiguous() const {
  return is_group() || (memory_.stride && count() == 1 && std::abs(*memory_.stride) == size());
}

bool PacketAccess::is_better_grouped() const {
  if (!has_packet_form()) return false;
  if (is_pattern()) return true;
  if (row_length() != 0) return true;
  if (!memory_.stride) return row_as_integer() != nullptr;
  if (!is_group() || step() > kMaxScalarStep) return false;
  return is_load() || (!memory_.mask && step() == count());
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

// Whether all lanes' elements lie in one short range of memory, with few others between them.
bool PacketAccess::is_group() const {
  if (memory_.elements.empty() || !memory_.stride || *memory_.stride <= 0 ||
      *memory_.stride % size() != 0 || !is_dense())
    return false;
  if (count() > 1)
    return count() <= step() && step() <= kMaxVectorStep * 2 && step() <= 2 * count();
  return !memory_.mask && step() > 1 && step() <= kMaxScalarStep && is_load();
}

// Of how many elements the rows are that a lane's elements are cut into; 0 if they are not.
unsigned PacketAccess::row_length() const {
  if (memory_.mask || count() < 2 || size() < 4 || count() * size() % kRowBytes != 0 || !is_dense())
    return 0;
  auto length = static_cast<unsigned>(kRowBytes / size());
  return length > 1 && lanes() % length == 0 ? length : 0;
}

bool PacketAccess::has_instruction(Type* type, Align align) const {
  if (!target_) return true;
  auto* vector = llvm::cast<llvm::VectorType>(type);
  if (is_load())
    return target_->isLegalMaskedGather(vector, align) &&
           !target_->forceScalarizeMaskedGather(vector, align);
  return target_->isLegalMaskedScatter(vector, align) &&
         !target_->forceScalarizeMaskedScatter(vector, align);
}

int64_t PacketAccess::lane_offset(unsigned lane) const {
  return memory_.stride ? lane * *memory_.stride : memory_.offsets[lane];
}

// Bytes from lane 0's pointer to the first place.
int64_t PacketAccess::pattern_begin() const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Element& element : memory_.elements)
    least = std::min(least, static_cast<int64_t>(element.offset));
  return least + *std::min_element(memory_.offsets.begin(), memory_.offsets.end());
}

// The elements' places in the range of memory that they lie in: those of all lanes, element by
// element. None where they lie between places.
LaneOffsets PacketAccess::pattern_places() const {
  const int64_t begin = pattern_begin();
  LaneOffsets places;
  for (const Element& element : memory_.elements)
    for (int64_t offset : memory_.offsets) {
      const int64_t distance = static_cast<int64_t>(element.offset) + offset - begin;
      if (element.type != memory_.elements[0].type || distance % size() != 0) return {};
      places.push_back(distance / size());
    }
  return places;
}

// Whether the lanes' elements are at known places that a few vectors cover; all of them have to be
// stored to.
bool PacketAccess::is_pattern() const {
  if (memory_.offsets.empty() || memory_.elements.empty() || memory_.mask || !has_packet_form())
    return false;
  LaneOffsets places = pattern_places();
  if (places.empty()) return false;
  std::sort(places.begin(), places.end());
  if (is_load()) return places.back() < kMaxPatternVectors * static_cast<int64_t>(lanes());
  for (const auto& [i, place] : llvm::enumerate(places))
    if (place != static_cast<int64_t>(i)) return false;
  return count() <= kMaxPatternVectors;
}

// The last vector ends where the range does: nothing behind it may be touched.
Parts PacketAccess::load_pattern() {
  const LaneOffsets places = pattern_places();
  const auto length = static_cast<unsigned>(*std::max_element(places.begin(), places.end())) + 1;
  const unsigned width = std::min(length, lanes());
  Type* type = llvm::FixedVectorType::get(memory_.elements[0].type, width);
  const Align align = llvm::commonAlignment(memory_.align, static_cast<uint64_t>(size()));
  Value* begin = offset_by(memory_.pointer, pattern_begin());
  Parts vectors;
  llvm::SmallVector<unsigned> firsts;
  for (unsigned i = 0; i < length; i += width) {
    firsts.push_back(std::min(i, length - width));
    vectors.push_back(load_vector(type, offset_by(begin, firsts.back() * size()), align, nullptr));
  }
  Value* all = concatenate(builder_, vectors);
  Parts parts;
  for (unsigned i = 0; i < count(); ++i) {
    llvm::SmallVector<int> order;
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      const auto place = static_cast<unsigned>(places[i * lanes() + lane]);
      const unsigned vector = place / width;
      order.push_back(static_cast<int>(vector * width + place - firsts[vector]));
    }
    parts.push_back(builder_.CreateShuffleVector(all, order));
  }
  return parts;
}

// How many elements of a lane lie one behind the other and are moved as one, up to 8 bytes.
unsigned PacketAccess::pattern_row() const {
  Type* type = memory_.elements[0].type;
  if (!type->isIntegerTy() && !type->isFloatingPointTy()) return 1;
  for (unsigned row = static_cast<unsigned>(8 / size()); row > 1; row /= 2) {
    bool fits = count() % row == 0;
    for (unsigned i = 0; fits && i < count(); ++i)
      fits =
          memory_.elements[i].offset == memory_.elements[i / row * row].offset + i % row * size();
    if (fits) return row;
  }
  return 1;
}

void PacketAccess::store_pattern(const Parts& parts) {
  const LaneOffsets places = pattern_places();
  const unsigned row = pattern_row();
  Type* type = memory_.elements[0].type;
  if (row > 1) type = builder_.getIntNTy(static_cast<unsigned>(8 * row * size()));
  Parts rows;
  llvm::SmallVector<int> order(count() / row * lanes());
  for (unsigned i = 0; i < count(); i += row) {
    Value* together = interleave(builder_, llvm::ArrayRef(parts).slice(i, row));
    rows.push_back(builder_.CreateBitCast(together, llvm::FixedVectorType::get(type, lanes())));
    for (unsigned lane = 0; lane < lanes(); ++lane)
      order[static_cast<size_t>(places[i * lanes() + lane]) / row] =
          static_cast<int>(i / row * lanes() + lane);
  }
  Value* all = concatenate(builder_, rows);
  Value* begin = offset_by(memory_.pointer, pattern_begin());
  const Align align = llvm::commonAlignment(memory_.align, static_cast<uint64_t>(size()));
  for (unsigned first = 0; first < order.size(); first += lanes())
    store_vector(builder_.CreateShuffleVector(all, llvm::ArrayRef(order).slice(first, lanes())),
                 offset_by(begin, first * row * size()), align, nullptr);
}

// <W x i1> to one for all elements of all lanes, those between them being off.
Value* PacketAccess::group_mask() {
  if (!memory_.mask && step() == count()) return nullptr;
  llvm::SmallVector<llvm::Constant*> used;
  for (unsigned i = 0; i < lanes() * step(); ++i)
    used.push_back(builder_.getInt1(i % step() < count()));
  llvm::Constant* constant = llvm::ConstantVector::get(used);
  if (!memory_.mask) return constant;
  Value* mask = repeat_each(builder_, memory_.mask, static_cast<unsigned>(step()));
  return step() == count() ? mask : builder_.CreateAnd(mask, constant);
}

Parts PacketAccess::load_group() {
  auto width = static_cast<unsigned>(lanes() * step());
  if (!memory_.mask && step() > count()) return load_sparse_group(width);
  Value* all = load_vector(llvm::FixedVectorType::get(memory_.elements[0].type, width),
                           lane_pointer(0, memory_.elements[0].offset), memory_.align,
                           memory_.mask ? group_mask() : nullptr);
  Parts parts;
  for (unsigned i = 0; i < count(); ++i)
    parts.push_back(pick(builder_, all, lanes(), i, static_cast<unsigned>(step())));
  return parts;
}

// Nothing behind the last lane's element may be touched: the second half begins early enough to
// end there.
Parts PacketAccess::load_sparse_group(unsigned width) {
  unsigned half = width / 2;
  auto gap = static_cast<unsigned>(step() - count());
  auto* type = llvm::FixedVectorType::get(memory_.elements[0].type, half);
  int64_t high_offset = (half - gap) * size();
  Value* first = lane_pointer(0, memory_.elements[0].offset);
  Value* low = load_vector(type, first, memory_.align, nullptr);
  Value* high = load_vector(
      type, offset_by(first, high_offset),
      llvm::commonAlignment(memory_.align, static_cast<uint64_t>(high_offset)), nullptr);
  Parts parts;
  for (unsigned i = 0; i < count(); ++i) {
    llvm::SmallVector<int> order;
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      auto index = static_cast<unsigned>(lane * step() + i);
      order.push_back(static_cast<int>(index < half ? index : index + gap));
    }
    parts.push_back(builder_.CreateShuffleVector(low, high, order));
  }
  return parts;
}

void PacketAccess::store_group(const Parts& parts) {
  Parts padded = parts;
  padded.resize(step(), llvm::PoisonValue::get(parts[0]->getType()));
  store_vector(interleave(builder_, padded), lane_pointer(0, memory_.elements[0].offset),
               memory_.align, group_mask());
}

// Of all that a lane accesses, if that is no more than an integer.
llvm::IntegerType* PacketAccess::row_as_integer() const {
  const int64_t bytes = count() * size();
  if (count() < 2 || bytes > 8 || !llvm::isPowerOf2_64(static_cast<uint64_t>(bytes)) || !is_dense())
    return nullptr;
  // Pointers are not cast.
  Type* type = memory_.elements[0].type;
  if (!type->isIntegerTy() && !type->isFloatingPointTy()) return nullptr;
  return llvm::IntegerType::get(type->getContext(), static_cast<unsigned>(8 * bytes));
}

Parts PacketAccess::gather_rows(llvm::IntegerType* row) {
  Value* rows = load_element({row, memory_.elements[0].offset});
  Type* type = llvm::FixedVectorType::get(memory_.elements[0].type,
                                          lanes() * static_cast<unsigned>(count()));
  Value* all = builder_.CreateBitCast(rows, type);
  Parts parts;
  for (unsigned i = 0; i < count(); ++i)
    parts.push_back(pick(builder_, all, lanes(), i, static_cast<unsigned>(count())));
  return parts;
}

void PacketAccess::scatter_rows(llvm::IntegerType* row, const Parts& parts) {
  Type* type = llvm::FixedVectorType::get(row, lanes());
  store_element({row, memory_.elements[0].offset},
                builder_.CreateBitCast(interleave(builder_, parts), type));
}

// A lane's row is a vector; those of lanes i, i + length, ... lie behind one another in the i-th of
// the vectors that are transposed.
Parts PacketAccess::load_rows(unsigned length) {
  auto* type = llvm::FixedVectorType::get(memory_.elements[0].type, length);
  Parts parts;
  for (unsigned first = 0; first < count(); first += length) {
    const uint64_t offset = memory_.elements[first].offset;
    Parts columns;
    for (unsigned i = 0; i < length; ++i) {
      Parts rows;
      for (unsigned lane = i; lane < lanes(); lane += length)
        rows.push_back(load_vector(type, lane_pointer(lane, offset),
                                   llvm::commonAlignment(memory_.align, kRowBytes), nullptr));
      columns.push_back(concatenate(builder_, rows));
    }
    parts.append(transpose_sections(builder_, columns));
  }
  return parts;
}

// As much at once of each lane as a line of a cache has, where lanes are further apart than that.
void PacketAccess::store_rows(unsigned length, const Parts& parts) {
  const bool is_close = memory_.stride && std::abs(*memory_.stride) < kLineBytes;
  const auto most = static_cast<unsigned>((is_close ? kRowBytes : kLineBytes) / size());
  for (unsigned first = 0; first < count(); first += most) {
    const unsigned end = std::min(first + most, static_cast<unsigned>(count()));
    llvm::SmallVector<llvm::SmallVector<Value*, 4>> columns;
    for (unsigned i = first; i < end; i += length)
      columns.push_back(transpose_sections(builder_, llvm::ArrayRef(parts).slice(i, length)));
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      Parts rows;
      for (const auto& section : columns)
        rows.push_back(pick(builder_, section[lane % length], length, lane / length * length, 1));
      store_vector(concatenate(builder_, rows), lane_pointer(lane, memory_.elements[first].offset),
                   llvm::commonAlignment(memory_.align, kRowBytes), nullptr);
    }
  }
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
    llvm::SmallVector<llvm::Constant*> offsets;
    for (unsigned lane = 0; lane < lanes(); ++lane)
      offsets.push_back(builder_.getInt64(static_cast<uint64_t>(lane_offset(lane))));
    all = builder_.CreatePtrAdd(memory_.pointer, llvm::ConstantVector::get(offsets));
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
  const bool has_one = has_instruction(type, align);
  if (!has_one && has_known_lanes() && !memory_.mask) return load_lanes(element, align);
  Value* pointers = all_pointers(element);
  Value* mask = memory_.mask;
  // Lanes that do not run read what another one reads: no branch for each of them.
  if (mask && !has_one) pointers = take_from_last(builder_, pointers, std::exchange(mask, nullptr));
  llvm::Constant* off = mask ? of_lanes_off(type) : nullptr;
  return annotate(builder_.CreateMaskedGather(type, pointers, align, mask, off));
}

void PacketAccess::scatter(const Element& element, Value* value, Align align) {
  const bool has_one = has_instruction(value->getType(), align);
  if (!has_one && has_known_lanes() && !memory_.mask) return store_lanes(element, value, align);
  Value* pointers = all_pointers(element);
  Value* mask = memory_.mask;
  // Lanes that do not run write what the last one does that runs, which is the last to write
  // something else there.
  if (mask && !has_one) {
    value = take_from_last(builder_, value, mask);
    pointers = take_from_last(builder_, pointers, std::exchange(mask, nullptr));
  }
  annotate(builder_.CreateMaskedScatter(value, pointers, align, mask));
}

Value* PacketAccess::load_vector(Type* type, Value* pointer, Align align, Value* mask) {
  if (mask)
    return annotate(builder_.CreateMaskedLoad(type, pointer, align, mask, of_lanes_off(type)));
  return annotate(builder_.CreateAlignedLoad(type, pointer, align));
}

void PacketAccess::store_vector(Value* value, Value* pointer, Align align, Value* mask) {
  if (mask)
    annotate(builder_.CreateMaskedStore(value, pointer, align, mask));
  else
    annotate(builder_.CreateAlignedStore(value, pointer, align));
}

Value* PacketAccess::reverse(Value* vector) {
  return vector ? builder_.CreateVectorReverse(vector) : nullptr;
}

llvm::Instruction* PacketAccess::annotate(llvm::Instruction* access) {
  return llvm::propagateMetadata(access, memory_.instructions);
}

}  // namespace conclave::compiler
