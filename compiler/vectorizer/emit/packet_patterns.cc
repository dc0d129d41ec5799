// SPDX-License-Identifier: Apache-2.0
// Accesses of PacketAccess to known places that lie close to each other: whole vectors and a
// shuffle.
#include "compiler/vectorizer/emit/packet_access.h"

#include <algorithm>
#include <limits>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/emit/lane_shuffles.h"

namespace conclave::compiler {
namespace {

using llvm::Align;
using llvm::Type;
using llvm::Value;

}  // namespace

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
  if (is_load()) return places.back() < tuning().pattern_vectors * static_cast<int64_t>(lanes());
  for (const auto& [i, place] : llvm::enumerate(places))
    if (place != static_cast<int64_t>(i)) return false;
  return count() <= tuning().pattern_vectors;
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

}  // namespace conclave::compiler
