// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_patterns.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;
using Parts = llvm::SmallVector<uint64_t, 16>;

constexpr unsigned kPointerBits = 64;

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
    for (const Instruction& instruction : *block)
      if (auto pattern = infer(instruction)) {
        if (shapes.stride(&instruction)) {
          if (instruction.getType()->isPointerTy()) continue;
        } else {
          LaneOffsets& offsets = offsets_[&instruction];
          for (uint64_t part : pattern->parts)
            offsets.push_back(static_cast<int64_t>(part - pattern->parts[0]));
          if (offsets == steps(offsets[1], lanes)) strides_[&instruction] = offsets[1];
        }
        patterns_.try_emplace(&instruction, std::move(*pattern));
      }
}

const LaneOffsets* LanePatterns::offsets(const Value* value) const {
  auto known = offsets_.find(value);
  return known == offsets_.end() ? nullptr : &known->second;
}

std::optional<int64_t> LanePatterns::stride(const Value* value) const {
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
  if (!instruction.getType()->isIntegerTy() || instruction.getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
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
    const bool is_wide =
        value->getType()->getScalarSizeInBits() >= kPointerBits || value->getType()->isPointerTy();
    if (auto stride = shapes_.stride(value);
        stride && (*stride == 0 || is_wide || shapes_.is_exact(value, true))) {
      Parts parts;
      for (unsigned lane = 0; lane < lanes_; ++lane)
        parts.push_back(static_cast<uint64_t>(*stride) * lane);
      return parts;
    }
    auto known = patterns_.find(value);
    if (known == patterns_.end()) return std::nullopt;
    // Narrow indices are extended with sign.
    const unsigned bits = is_wide ? kPointerBits : value->getType()->getScalarSizeInBits();
    if (!is_wide && known->second.zeros >= bits && !fit(known->second.parts, bits - 1))
      return std::nullopt;
    return known->second.parts;
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
  return Pattern{std::move(*sum), kPointerBits};
}

}  // namespace conclave::compiler
