// SPDX-License-Identifier: Apache-2.0
// Accesses of PacketAccess to several elements in each lane that follow one another, and to one
// where lanes are a few elements apart.
#include "compiler/vectorizer/emit/packet_access.h"

#include <llvm/IR/Constants.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "compiler/base/target_model.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/emit/lane_shuffles.h"
#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::Type;
using llvm::Value;

// Rows of this size fill the sections that shuffles of wide registers are cheap within.
constexpr int64_t kRowBytes = TargetModel::kSectionBytes;

constexpr int64_t kLineBytes = TargetModel::kLineBytes;

}  // namespace

// Whether all lanes' elements lie in one short range of memory, with few others between them.
bool PacketAccess::is_group() const {
  if (memory_.elements.empty() || !memory_.stride || *memory_.stride <= 0 ||
      *memory_.stride % size() != 0 || !is_dense())
    return false;
  if (count() > 1)
    return count() <= step() && step() <= tuning().vector_step * 2 && step() <= 2 * count();
  return !memory_.mask && step() > 1 && step() <= tuning().scalar_step && is_load();
}

// A lane's elements are cut into rows of this many elements; 0 if they are not cut.
unsigned PacketAccess::row_length() const {
  if (count() < 2 || size() < 4 || count() * size() % kRowBytes != 0 || !is_dense()) return 0;
  if (memory_.mask && !is_done_by_all_lanes()) return 0;
  auto length = static_cast<unsigned>(kRowBytes / size());
  return length > 1 && lanes() % length == 0 ? length : 0;
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

// The integer type that holds all that a lane accesses; null if none does.
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

// Whether it is no more for the lanes that do not run to do what another one does.
bool PacketAccess::is_done_by_all_lanes() const {
  auto* type = llvm::FixedVectorType::get(memory_.elements[0].type, lanes());
  return !has_known_lanes() && !has_fast_instruction(type, memory_.align);
}

// A lane's row is a vector; those of lanes i, i + length, ... lie behind one another in the i-th of
// the vectors that are transposed.
Parts PacketAccess::load_rows(unsigned length) {
  if (Value* mask = std::exchange(memory_.mask, nullptr))
    memory_.pointers = take_addresses_from_last(builder_, memory_.pointers, mask);
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
// Lanes that do not run write what the last one does that runs, which is the last to write something
// else there.
void PacketAccess::store_rows(unsigned length, Parts parts) {
  if (Value* mask = std::exchange(memory_.mask, nullptr)) {
    memory_.pointers = take_addresses_from_last(builder_, memory_.pointers, mask);
    for (Value*& part : parts) part = take_from_last(builder_, part, mask);
  }
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

}  // namespace conclave::compiler
