// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_patterns.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "compiler/base/target_model.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;
using Parts = llvm::SmallVector<uint64_t, 16>;

uint64_t low_bits(unsigned count) {
  return llvm::maskTrailingOnes<uint64_t>(std::min(count, 64U));
}

bool fit(const Parts& parts, unsigned zeros) {
  return llvm::all_of(parts, [&](uint64_t part) { return part <= low_bits(zeros); });
}

// Moves the bits above the lowest ones into the base, if all lanes have the same there.
bool keep_low_bits(Parts& parts, unsigned count) {
  const uint64_t low = low_bits(count);
  if (llvm::any_of(parts, [&](uint64_t part) { return (part & ~low) != (parts[0] & ~low); }))
    return false;
  for (uint64_t& part : parts) part &= low;
  return true;
}

bool is_number(const Value& value) {
  return value.getType()->isIntegerTy() && value.getType()->getIntegerBitWidth() <= 64;
}

LaneOffsets from_first(const Parts& parts) {
  LaneOffsets offsets;
  for (uint64_t part : parts) offsets.push_back(static_cast<int64_t>(part - parts[0]));
  return offsets;
}

// Numbers of `bits` bits, read with sign.
LaneOffsets with_sign(LaneOffsets offsets, unsigned bits) {
  for (int64_t& offset : offsets) offset = llvm::SignExtend64(static_cast<uint64_t>(offset), bits);
  return offsets;
}

bool is_zero(const LaneOffsets& offsets) {
  return llvm::all_of(offsets, [](int64_t offset) { return offset == 0; });
}

LaneOffsets scaled(LaneOffsets offsets, uint64_t factor) {
  for (int64_t& offset : offsets)
    offset = static_cast<int64_t>(static_cast<uint64_t>(offset) * factor);
  return offsets;
}

const llvm::ConstantInt* constant(const Value* value) {
  auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number && number->getBitWidth() <= 64 ? number : nullptr;
}

}  // namespace

LaneOffsets steps(int64_t stride, unsigned lanes) {
  LaneOffsets offsets;
  for (unsigned lane = 0; lane < lanes; ++lane)
    offsets.push_back(static_cast<int64_t>(static_cast<uint64_t>(stride) * lane));
  return offsets;
}

LanePatterns::LanePatterns(llvm::Function& region, const LaneIds& ids, const Shapes& shapes,
                           unsigned lanes)
    : ids_(ids), shapes_(shapes), lanes_(lanes) {
  if (!llvm::isPowerOf2_32(lanes) ||
      llvm::all_of(ids.aligned, [](const Value* id) { return id->use_empty(); }))
    return;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&region))
    for (const Instruction& instruction : *block) {
      if (is_number(instruction)) max_[&instruction] = infer_max(instruction);
      if (auto pattern = infer(instruction)) {
        if (shapes.stride(&instruction)) {
          if (instruction.getType()->isPointerTy()) continue;
        } else {
          add_difference(instruction, from_first(pattern->parts));
        }
        patterns_.try_emplace(&instruction, std::move(*pattern));
      } else if (!shapes.stride(&instruction)) {
        if (auto difference = infer_difference(instruction))
          add_difference(instruction, std::move(*difference));
      }
    }
}

void LanePatterns::add_difference(const Instruction& instruction, LaneOffsets difference) {
  if (difference == steps(difference[1], lanes_)) strides_[&instruction] = difference[1];
  offsets_[&instruction] = std::move(difference);
}

const LaneOffsets* LanePatterns::offsets(const Value* value) const {
  auto known = offsets_.find(value);
  return known == offsets_.end() ? nullptr : &known->second;
}

std::optional<int64_t> LanePatterns::stride(const Value* value) const {
  if (const auto stride = shapes_.stride(value)) return stride;
  auto known = strides_.find(value);
  return known == strides_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<LanePatterns::Pattern> LanePatterns::of(const Value* value) const {
  if (auto* number = constant(value))
    return Pattern{Parts(lanes_, number->getZExtValue()), number->getBitWidth()};
  if (llvm::is_contained(ids_.aligned, value)) {
    Pattern pattern{{}, llvm::Log2_32(lanes_)};
    for (unsigned lane = 0; lane < lanes_; ++lane) pattern.parts.push_back(lane);
    return pattern;
  }
  auto known = patterns_.find(value);
  if (known != patterns_.end()) return known->second;
  if (shapes_.is_uniform(value)) return Pattern{Parts(lanes_, 0), 0};
  return std::nullopt;
}

std::optional<LanePatterns::Pattern> LanePatterns::infer(const Instruction& instruction) const {
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return address->getType()->isPointerTy() ? infer_address(*address) : std::nullopt;
  if (!is_number(instruction)) return std::nullopt;
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return infer_cast(*cast);
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (!operation) return std::nullopt;
  return operation->isShift() ? infer_shift(*operation) : infer_binary(*operation);
}

std::optional<LanePatterns::Pattern> LanePatterns::infer_binary(
    const llvm::BinaryOperator& operation) const {
  auto left = of(operation.getOperand(0)), right = of(operation.getOperand(1));
  if (!left || !right) return std::nullopt;
  Pattern result{{}, std::min(left->zeros, right->zeros)};
  if (!keep_low_bits(left->parts, result.zeros) || !keep_low_bits(right->parts, result.zeros))
    return std::nullopt;
  for (auto [a, b] : llvm::zip(left->parts, right->parts)) switch (operation.getOpcode()) {
      case Instruction::Add:
        result.parts.push_back(a + b);
        break;
      case Instruction::Sub:
        result.parts.push_back(a - b);
        break;
      case Instruction::And:
        result.parts.push_back(a & b);
        break;
      case Instruction::Or:
        result.parts.push_back(a | b);
        break;
      case Instruction::Xor:
        result.parts.push_back(a ^ b);
        break;
      default:
        return std::nullopt;
    }
  if (!fit(result.parts, result.zeros)) return std::nullopt;
  // The rest of the base only has bits that the mask has.
  auto* mask = constant(operation.getOperand(1));
  if (mask && operation.getOpcode() == Instruction::And)
    result.zeros = std::min<unsigned>(
        mask->getBitWidth(), llvm::countr_zero(mask->getZExtValue() & ~low_bits(result.zeros)));
  return result;
}

std::optional<LanePatterns::Pattern> LanePatterns::infer_shift(
    const llvm::BinaryOperator& shift) const {
  auto pattern = of(shift.getOperand(0));
  auto* number = constant(shift.getOperand(1));
  const unsigned bits = shift.getType()->getIntegerBitWidth();
  if (!pattern || !number || number->getValue().uge(bits)) return std::nullopt;
  const auto count = static_cast<unsigned>(number->getZExtValue());
  const bool has_base = pattern->zeros < bits;
  if (shift.getOpcode() == Instruction::Shl) {
    pattern->zeros = std::min(pattern->zeros + count, bits);
    for (uint64_t& part : pattern->parts) part = part << count & low_bits(bits);
    return pattern;
  }
  // The sign is the base's.
  if (shift.getOpcode() == Instruction::AShr && !has_base) return std::nullopt;
  if (has_base) pattern->zeros -= std::min(pattern->zeros, count);
  for (uint64_t& part : pattern->parts) part >>= count;
  return pattern;
}

std::optional<LanePatterns::Pattern> LanePatterns::infer_cast(const llvm::CastInst& cast) const {
  if (!cast.getSrcTy()->isIntegerTy()) return std::nullopt;
  auto pattern = of(cast.getOperand(0));
  if (!pattern) return std::nullopt;
  const unsigned from = cast.getSrcTy()->getIntegerBitWidth();
  const unsigned to = cast.getType()->getIntegerBitWidth();
  switch (cast.getOpcode()) {
    case Instruction::Trunc:
      pattern->zeros = std::min(pattern->zeros, to);
      if (!keep_low_bits(pattern->parts, pattern->zeros)) {
        for (uint64_t& part : pattern->parts) part &= low_bits(to);
        if (pattern->zeros < to) return std::nullopt;
      }
      return pattern;
    case Instruction::SExt:
      if (pattern->zeros >= from && !fit(pattern->parts, from - 1)) return std::nullopt;
      [[fallthrough]];
    case Instruction::ZExt:
      if (pattern->zeros >= from) pattern->zeros = to;
      return pattern;
    default:
      return std::nullopt;
  }
}

std::optional<LanePatterns::Pattern> LanePatterns::infer_address(
    const llvm::GetElementPtrInst& address) const {
  // Bytes from lane to lane, of pointers and of indices.
  const auto distances = [&](const Value* value) -> std::optional<Parts> {
    const bool is_wide = value->getType()->getScalarSizeInBits() >= TargetModel::kPointerBits ||
                         value->getType()->isPointerTy();
    if (auto stride = shapes_.stride(value);
        stride && (*stride == 0 || is_wide || shapes_.is_exact(value, true))) {
      Parts parts;
      for (unsigned lane = 0; lane < lanes_; ++lane)
        parts.push_back(static_cast<uint64_t>(*stride) * lane);
      return parts;
    }
    // Narrow indices are extended with sign.
    const unsigned bits =
        is_wide ? TargetModel::kPointerBits : value->getType()->getScalarSizeInBits();
    auto known = patterns_.find(value);
    if (known != patterns_.end()) {
      if (!is_wide && known->second.zeros >= bits && !fit(known->second.parts, bits - 1))
        return std::nullopt;
      return known->second.parts;
    }
    auto offsets = offsets_.find(value);
    if (offsets == offsets_.end() || (!is_wide && max(value) > low_bits(bits - 1)))
      return std::nullopt;
    return Parts(offsets->second.begin(), offsets->second.end());
  };
  auto sum = distances(address.getPointerOperand());
  if (!sum) return std::nullopt;
  const llvm::DataLayout& layout = address.getDataLayout();
  for (auto part = llvm::gep_type_begin(address); part != llvm::gep_type_end(address); ++part) {
    if (part.getStructTypeOrNull()) continue;
    auto more = distances(part.getOperand());
    if (!more) return std::nullopt;
    const uint64_t size = part.getSequentialElementStride(layout).getFixedValue();
    for (auto [all, one] : llvm::zip(*sum, *more)) all += one * size;
  }
  return Pattern{std::move(*sum), TargetModel::kPointerBits};
}

std::optional<LaneOffsets> LanePatterns::difference(const Value* value) const {
  if (auto stride = shapes_.stride(value)) return steps(*stride, lanes_);
  auto known = offsets_.find(value);
  return known == offsets_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<LaneOffsets> LanePatterns::infer_difference(const Instruction& instruction) const {
  if (!is_number(instruction)) return std::nullopt;
  const unsigned bits = instruction.getType()->getIntegerBitWidth();
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (!operation && !llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(instruction))
    return std::nullopt;
  const Value* first = instruction.getOperand(0);
  auto left = difference(first);
  if (!left) return std::nullopt;
  if (!operation) {
    // Differences between numbers from 0 to the highest with sign have as many bits.
    const unsigned from = first->getType()->getIntegerBitWidth();
    if (from > 64 || (from < bits && max(first) > low_bits(from - 1))) return std::nullopt;
    return with_sign(std::move(*left), std::min(from, bits));
  }
  auto right = difference(operation->getOperand(1));
  if (!right || operation->isIntDivRem()) return std::nullopt;
  LaneOffsets result;
  auto* factor = constant(operation->getOperand(1));
  switch (operation->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub: {
      const uint64_t sign = operation->getOpcode() == Instruction::Add ? 1 : ~uint64_t{0};
      for (auto [a, b] : llvm::zip(*left, scaled(std::move(*right), sign)))
        result.push_back(static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)));
      return with_sign(std::move(result), bits);
    }
    case Instruction::Mul:
      if (factor) return with_sign(scaled(std::move(*left), factor->getZExtValue()), bits);
      break;
    case Instruction::Shl:
      if (factor && factor->getValue().ult(bits))
        return with_sign(scaled(std::move(*left), uint64_t{1} << factor->getZExtValue()), bits);
      break;
    default:
      break;
  }
  // What is calculated from the same numbers is the same.
  return is_zero(*left) && is_zero(*right) ? left : std::nullopt;
}

uint64_t LanePatterns::max(const Value* value) const {
  if (auto* number = constant(value)) return number->getZExtValue();
  if (llvm::is_contained(ids_.local, value)) return kMostLocal;
  if (llvm::is_contained(ids_.small, value)) return low_bits(31);
  auto known = max_.find(value);
  return known == max_.end() ? low_bits(value->getType()->getScalarSizeInBits()) : known->second;
}

uint64_t LanePatterns::infer_max(const Instruction& instruction) const {
  const unsigned bits = instruction.getType()->getIntegerBitWidth();
  const uint64_t all = low_bits(bits);
  const auto below = [&](unsigned __int128 limit) {
    return limit > all ? all : static_cast<uint64_t>(limit);
  };
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    if (!is_number(*cast->getOperand(0))) return all;
    const uint64_t from = max(cast->getOperand(0));
    const unsigned from_bits = cast->getSrcTy()->getIntegerBitWidth();
    if (llvm::isa<llvm::SExtInst>(cast) && from > low_bits(from_bits - 1)) return all;
    return below(from);
  }
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (!operation) return all;
  const unsigned __int128 left = max(operation->getOperand(0));
  const unsigned __int128 right = max(operation->getOperand(1));
  auto* number = constant(operation->getOperand(1));
  const auto shift = static_cast<unsigned>(number ? number->getLimitedValue(bits) : bits);
  switch (operation->getOpcode()) {
    case Instruction::Add:
      return below(left + right);
    case Instruction::Mul:
      return below(left * right);
    case Instruction::And:
      return below(std::min(left, right));
    case Instruction::Or:
    case Instruction::Xor:
      return low_bits(llvm::bit_width(static_cast<uint64_t>(left | right)));
    case Instruction::Shl:
      return shift < bits ? below(left << shift) : all;
    case Instruction::AShr:
      if (left > all >> 1) return all;
      [[fallthrough]];
    case Instruction::LShr:
      return shift < bits ? below(left >> shift) : all;
    default:
      return all;
  }
}

}  // namespace conclave::compiler
