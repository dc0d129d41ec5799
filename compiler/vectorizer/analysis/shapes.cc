// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/shapes.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "compiler/base/target_model.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_operations.h"

namespace conclave::compiler {
namespace {

constexpr uint64_t kSmall = (uint64_t{1} << 31) - 1;

unsigned bits_of(const llvm::Value& value) {
  return value.getType()->getScalarSizeInBits();
}

uint64_t unsigned_max(unsigned bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t signed_max(unsigned bits) {
  return unsigned_max(bits) >> 1;
}

Shape varying() {
  return {.kind = Shape::kVarying};
}

Shape uniform(uint64_t max = ~uint64_t{0}) {
  return {Shape::kStrided, 0, true, true, max};
}

// A stride is known modulo the range of the type; the smallest is the one that is meant.
Shape strided(int64_t stride, unsigned bits) {
  if (bits > 64) return varying();
  if (bits < 64) stride = llvm::SignExtend64(static_cast<uint64_t>(stride), bits);
  if (stride == 0) return uniform();
  return {.kind = Shape::kStrided, .stride = stride};
}

// No lane's value can be outside the type if the highest is not.
void refine_by_max(Shape& shape, uint64_t max, bool overflows, unsigned bits) {
  if (overflows || max > unsigned_max(bits)) return;
  shape.max = max;
  shape.unsigned_exact = true;
  shape.signed_exact |= max <= signed_max(bits);
}

std::optional<uint64_t> constant(const llvm::Value* value) {
  auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (!number || number->getBitWidth() > 64) return std::nullopt;
  return number->getZExtValue();
}

bool is_plain_operation(const llvm::Instruction& instruction) {
  return instruction.isBinaryOp() || instruction.isUnaryOp() || instruction.isCast() ||
         llvm::isa<llvm::CmpInst, llvm::SelectInst, llvm::FreezeInst, llvm::GetElementPtrInst,
                   llvm::ExtractElementInst, llvm::InsertElementInst, llvm::ShuffleVectorInst,
                   llvm::ExtractValueInst, llvm::InsertValueInst, llvm::PHINode>(instruction);
}

// All lanes have the stack of the thread that runs the packet.
bool is_stack_pointer(const llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::stacksave;
}

// Done once for all lanes, if its operands are uniform: the result is the same for all.
bool is_uniform_operation(const llvm::Instruction& instruction) {
  if (is_plain_operation(instruction) || is_any(instruction) || is_stack_pointer(instruction))
    return true;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return !load->isVolatile();
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && !call->getType()->isVoidTy() && call->onlyReadsMemory() && !call->isInlineAsm();
}

// Flags say that lanes do not wrap which run, or whose result is used. Lane 0 may not be one of
// them, as in `if (id >= 10) ... id - 10`. Without sign, what is said of the others is true of lane
// 0 if it has the least of all values, and may only be too high, or the highest, and may only be
// too low. With sign it could wrap next to the ends of the range only: where that matters,
// may_wrap_with_sign() tells.
bool has_true_flag(const llvm::BinaryOperator& operation, int64_t stride, bool is_signed) {
  auto* wrapping = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&operation);
  auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&operation);
  if (!wrapping && !(disjoint && disjoint->isDisjoint())) return false;
  if (is_signed) return (!wrapping || wrapping->hasNoSignedWrap()) && bits_of(operation) >= 32;
  if (wrapping && !wrapping->hasNoUnsignedWrap()) return false;
  return operation.getOpcode() == llvm::Instruction::Sub ? stride <= 0 : stride >= 0;
}

}  // namespace

Shapes::Shapes(llvm::Function& region, const LaneIds& ids, unsigned lanes, LaneStrides lane_strides)
    : consecutive_(ids.consecutive.begin(), ids.consecutive.end()),
      small_(ids.small.begin(), ids.small.end()),
      local_(ids.local.begin(), ids.local.end()),
      lane_strides_(std::move(lane_strides)),
      lanes_(lanes) {
  llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&region);
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock* block : blocks)
      for (const llvm::Instruction& instruction : *block) changed |= update(instruction);
  }
  for (llvm::BasicBlock* block : blocks)
    for (const llvm::Instruction& instruction : *block)
      if (wraps_in_lane_0(instruction)) may_wrap_with_sign_.insert(&instruction);
}

std::optional<int64_t> Shapes::stride(const llvm::Value* value) const {
  Shape shape = of(value);
  if (shape.kind != Shape::kStrided || shape.is_assumed) return std::nullopt;
  return shape.stride;
}

bool Shapes::is_exact(const llvm::Value* value, bool is_signed) const {
  const Shape shape = of(value);
  return stride(value) && (is_signed ? shape.signed_exact : shape.unsigned_exact);
}

bool Shapes::are_lanes_far(const llvm::Value* pointer) const {
  if (const auto distance = stride(pointer)) return std::abs(*distance) >= TargetModel::kLineBytes;
  return !assumed_stride(pointer);
}

std::optional<int64_t> Shapes::assumed_stride(const llvm::Value* value) const {
  Shape shape = of(value);
  if (shape.kind != Shape::kStrided || !shape.is_assumed) return std::nullopt;
  return shape.stride;
}

bool Shapes::has_uniform_operands(const llvm::Instruction& instruction) const {
  return llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) {
    return llvm::isa<llvm::BasicBlock, llvm::MetadataAsValue, llvm::InlineAsm>(operand) ||
           is_uniform(operand);
  });
}

Shape Shapes::of(const llvm::Value* value) const {
  Shape shape;
  if (consecutive_.contains(value)) {
    shape = {Shape::kStrided, 1, true, true, ~uint64_t{0}};
  } else if (llvm::isa<llvm::Instruction>(value)) {
    shape = shapes_.lookup(value);
  } else {
    shape = uniform(constant(value).value_or(~uint64_t{0}));
  }
  const bool is_local = local_.contains(value);
  if (is_local || small_.contains(value)) {
    shape.max = std::min(shape.max, is_local ? kMostLocal : kSmall);
    if (bits_of(*value) >= 32) shape.signed_exact = shape.unsigned_exact = true;
  }
  return shape;
}

bool Shapes::update(const llvm::Instruction& instruction) {
  Shape shape = infer(instruction);
  Shape& known = shapes_[&instruction];
  if (shape == known) return false;
  known = shape;
  return true;
}

bool Shapes::operands_unknown(const llvm::Instruction& instruction) const {
  return llvm::any_of(instruction.operands(), [&](const llvm::Use& operand) {
    return of(operand).kind == Shape::kUnknown;
  });
}

Shape Shapes::infer(const llvm::Instruction& instruction) const {
  Shape shape = infer_operation(instruction);
  if (shape.kind == Shape::kVarying) return infer_assumed(instruction);
  bool is_assumed = llvm::any_of(instruction.operands(),
                                 [&](const llvm::Use& operand) { return of(operand).is_assumed; });
  if (!is_assumed || shape.kind == Shape::kUnknown) return shape;
  // An assumption is checked at a single place, not for everything that a choice may lead to.
  if (shape.stride == 0 || llvm::isa<llvm::PHINode, llvm::SelectInst>(instruction))
    return varying();
  shape.is_assumed = true;
  return shape;
}

// Extensions that are not exact, and what becomes of them in InstCombine.
Shape Shapes::infer_assumed(const llvm::Instruction& instruction) const {
  auto check = check_of(instruction);
  if (!check) return varying();
  unsigned bits = bits_of(instruction);
  Shape shape = strided(of(instruction.getOperand(0)).stride, bits);
  if (instruction.isShift()) shape.stride >>= *constant(instruction.getOperand(1));
  shape.is_assumed = true;
  shape.signed_exact = true;
  if (check->is_signed) return shape;
  shape.unsigned_exact = true;
  // Read with sign, the highest may be negative.
  if (instruction.getOpcode() == llvm::Instruction::And)
    shape.signed_exact = *constant(instruction.getOperand(1)) <= signed_max(bits);
  return shape;
}

std::optional<WrapCheck> Shapes::check_of(const llvm::Instruction& instruction) const {
  unsigned opcode = instruction.getOpcode();
  bool is_signed = opcode == llvm::Instruction::SExt || opcode == llvm::Instruction::AShr;
  bool is_mask = opcode == llvm::Instruction::And;
  bool is_shift = opcode == llvm::Instruction::AShr || opcode == llvm::Instruction::LShr;
  if (!is_signed && !is_mask && !is_shift && opcode != llvm::Instruction::ZExt) return std::nullopt;
  llvm::Value* operand = instruction.getOperand(0);
  Shape shape = of(operand);
  unsigned bits = bits_of(*operand);
  if (shape.kind != Shape::kStrided || shape.stride == 0 || !operand->getType()->isIntegerTy() ||
      bits > 64)
    return std::nullopt;
  // Nothing to check.
  if (is_mask     ? infer_operation(instruction).kind != Shape::kVarying
      : is_signed ? shape.signed_exact
                  : shape.unsigned_exact || extends_with_sign(instruction))
    return std::nullopt;

  llvm::APInt min = is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt(bits, 0);
  llvm::APInt max =
      is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  int64_t unit = 1;
  if (is_mask || is_shift) {
    auto number = constant(instruction.getOperand(1));
    if (!number) return std::nullopt;
    if (is_mask) {
      max = llvm::APInt(bits, *number);
      if (!max.isShiftedMask()) return std::nullopt;
    }
    uint64_t shift = is_mask ? max.countr_zero() : *number;
    if (shift >= std::min(bits, 62U)) return std::nullopt;
    unit <<= shift;
  }
  if (shape.stride % unit != 0) return std::nullopt;
  auto distance = static_cast<unsigned __int128>(std::abs(shape.stride)) * (lanes_ - 1);
  if (distance > (is_signed ? signed_max(bits) : max.getZExtValue())) return std::nullopt;
  if (shape.stride > 0)
    max -= static_cast<uint64_t>(distance);
  else
    min += static_cast<uint64_t>(distance);
  llvm::Value* value = is_mask ? const_cast<llvm::Instruction*>(&instruction) : operand;
  return WrapCheck{value, is_signed, std::move(min), std::move(max)};
}

Shape Shapes::infer_operation(const llvm::Instruction& instruction) const {
  auto own = lane_strides_.find(&instruction);
  if (own != lane_strides_.end()) return strided(static_cast<int64_t>(own->second), 64);
  if (llvm::isa<llvm::AllocaInst>(instruction)) return uniform();
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return infer_phi(*phi);
  if (operands_unknown(instruction)) return {};
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      operation && operation->getType()->isIntegerTy())
    return infer_binary(*operation);
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return infer_cast(*cast);
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return infer_address(*address);
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) return infer_select(*select);
  if (llvm::isa<llvm::FreezeInst>(instruction)) return of(instruction.getOperand(0));
  if (is_any(instruction) || is_outside(instruction)) return uniform(1);
  const LaneOperation operation = lane_operation(instruction);
  if (operation.is_uniform()) return uniform();
  if (operation.kind == LaneOperation::kLane)
    return {Shape::kStrided, 1, true, true, lanes_ - uint64_t{1}};
  if (has_uniform_operands(instruction) && is_uniform_operation(instruction)) return uniform();
  return varying();
}

Shape Shapes::infer_binary(const llvm::BinaryOperator& operation) const {
  Shape left = of(operation.getOperand(0));
  Shape right = of(operation.getOperand(1));
  if (left.kind == Shape::kVarying || right.kind == Shape::kVarying) return varying();
  unsigned bits = bits_of(operation);
  bool is_uniform = left.stride == 0 && right.stride == 0;
  auto factor = constant(operation.getOperand(1));
  unsigned shift = factor ? static_cast<unsigned>(std::min<uint64_t>(*factor, 63)) : 0;
  bool divides = factor && left.stride % (int64_t{1} << std::min(shift, 62U)) == 0 && shift < 62;

  Shape shape = varying();
  uint64_t max = ~uint64_t{0};
  bool overflows = true;
  bool adds = operation.getOpcode() == llvm::Instruction::Add;
  if (auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&operation))
    adds = disjoint->isDisjoint();
  if (adds) {
    shape = strided(left.stride + right.stride, bits);
    overflows = __builtin_add_overflow(left.max, right.max, &max);
  } else if (operation.getOpcode() == llvm::Instruction::Sub) {
    shape = strided(left.stride - right.stride, bits);
  } else if (operation.getOpcode() == llvm::Instruction::Mul && factor) {
    shape = strided(static_cast<int64_t>(static_cast<uint64_t>(left.stride) * *factor), bits);
    overflows = __builtin_mul_overflow(left.max, *factor, &max);
  } else if (operation.getOpcode() == llvm::Instruction::Shl && factor && shift < bits) {
    shape = strided(static_cast<int64_t>(static_cast<uint64_t>(left.stride) << shift), bits);
    overflows = __builtin_mul_overflow(left.max, uint64_t{1} << shift, &max);
  } else if (operation.getOpcode() == llvm::Instruction::AShr && divides && left.signed_exact) {
    shape = strided(left.stride >> shift, bits);
    shape.signed_exact = true;
    if (left.max <= signed_max(bits)) {
      max = left.max >> shift;
      overflows = false;
    }
  } else if (operation.getOpcode() == llvm::Instruction::LShr && divides && left.unsigned_exact) {
    shape = strided(left.stride >> shift, bits);
    max = std::min(left.max, unsigned_max(bits)) >> shift;
    overflows = false;
  } else if (operation.getOpcode() == llvm::Instruction::Xor && factor == unsigned_max(bits)) {
    // -1 - x, or the highest number less x. Neither wraps.
    shape = strided(-left.stride, bits);
    shape.signed_exact = left.signed_exact;
    shape.unsigned_exact = left.unsigned_exact;
  } else if (operation.getOpcode() == llvm::Instruction::And && factor &&
             ((*factor + 1) & *factor) == 0 && left.max <= *factor) {
    return left;
  }
  if (shape.kind == Shape::kVarying) return is_uniform ? uniform() : shape;

  if (has_true_flag(operation, shape.stride, true))
    shape.signed_exact |= left.signed_exact && right.signed_exact;
  if (has_true_flag(operation, shape.stride, false))
    shape.unsigned_exact |= left.unsigned_exact && right.unsigned_exact;
  refine_by_max(shape, max, overflows, bits);
  return shape;
}

bool Shapes::is_flag_true_of_all(const llvm::BinaryOperator& operation, bool is_signed) const {
  auto stride = this->stride(&operation);
  return stride && has_true_flag(operation, *stride, is_signed);
}

bool Shapes::wraps_in_lane_0(const llvm::Instruction& instruction) const {
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  auto stride = this->stride(&instruction);
  if (!operation || !stride || *stride == 0) return false;
  return of(operation).max > signed_max(bits_of(*operation)) &&
         has_true_flag(*operation, *stride, true) && of(operation->getOperand(0)).signed_exact &&
         of(operation->getOperand(1)).signed_exact;
}

Shape Shapes::infer_cast(const llvm::CastInst& cast) const {
  Shape from = of(cast.getOperand(0));
  if (from.kind == Shape::kVarying) return from;
  if (!cast.getType()->isIntOrPtrTy()) return from.stride == 0 ? uniform() : varying();
  unsigned bits = bits_of(cast);
  unsigned from_bits = bits_of(*cast.getOperand(0));
  Shape shape = strided(from.stride, bits);
  switch (cast.getOpcode()) {
    case llvm::Instruction::Trunc:
      refine_by_max(shape, from.max, false, bits);
      return shape;
    case llvm::Instruction::SExt:
      if (!from.signed_exact) return varying();
      shape.signed_exact = true;
      if (from.max <= signed_max(from_bits)) refine_by_max(shape, from.max, false, bits);
      return shape;
    case llvm::Instruction::ZExt:
      if (!from.unsigned_exact && !extends_with_sign(cast)) return varying();
      shape.signed_exact = true;
      if (from.unsigned_exact)
        refine_by_max(shape, std::min(from.max, unsigned_max(from_bits)), false, bits);
      return shape;
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      return bits >= 64 || from.stride == 0 ? shape : varying();
    default:
      return from.stride == 0 ? uniform() : varying();
  }
}

bool Shapes::extends_with_sign(const llvm::Instruction& extension) const {
  Shape from = of(extension.getOperand(0));
  return llvm::isa<llvm::ZExtInst>(extension) && extension.hasNonNeg() && from.signed_exact &&
         !from.unsigned_exact;
}

Shape Shapes::infer_address(const llvm::GetElementPtrInst& address) const {
  if (has_uniform_operands(address)) return uniform();
  if (!address.getType()->isPointerTy()) return varying();
  Shape base = of(address.getPointerOperand());
  if (base.kind == Shape::kVarying) return varying();
  const llvm::DataLayout& layout = address.getDataLayout();
  unsigned width = layout.getIndexTypeSizeInBits(address.getType());
  int64_t stride = base.stride;
  for (auto part = llvm::gep_type_begin(address); part != llvm::gep_type_end(address); ++part) {
    Shape index = of(part.getOperand());
    if (index.kind == Shape::kVarying) return varying();
    if (index.stride == 0) continue;
    // Narrow indices are extended with sign.
    if (bits_of(*part.getOperand()) < width && !index.signed_exact) return varying();
    int64_t size = part.getSequentialElementStride(layout).getFixedValue();
    stride = static_cast<int64_t>(static_cast<uint64_t>(stride) +
                                  static_cast<uint64_t>(index.stride) * size);
  }
  return strided(stride, width);
}

Shape Shapes::infer_select(const llvm::SelectInst& select) const {
  if (!is_uniform(select.getCondition())) return varying();
  Shape left = of(select.getTrueValue());
  Shape right = of(select.getFalseValue());
  if (left.kind == Shape::kVarying || right.kind == Shape::kVarying) return varying();
  if (left.stride != right.stride) return varying();
  left.signed_exact &= right.signed_exact;
  left.unsigned_exact &= right.unsigned_exact;
  left.max = std::max(left.max, right.max);
  return left;
}

// All lanes come along the same edge. Values not known yet, those of back edges, are hoped to agree
// with the others; the next round shows.
Shape Shapes::infer_phi(const llvm::PHINode& phi) const {
  Shape result;
  for (const llvm::Value* value : phi.incoming_values()) {
    Shape shape = of(value);
    if (shape.kind == Shape::kUnknown) continue;
    if (shape.kind == Shape::kVarying) return shape;
    shape.max = ~uint64_t{0};  // it could grow round by round
    if (result.kind == Shape::kUnknown) result = shape;
    if (result.stride != shape.stride) return varying();
    result.signed_exact &= shape.signed_exact;
    result.unsigned_exact &= shape.unsigned_exact;
  }
  // Once varying, always varying: rounds must come to an end.
  if (shapes_.lookup(&phi).kind == Shape::kVarying) return varying();
  return result;
}

llvm::AnalysisKey ShapesAnalysis::Key;

FunctionShapes ShapesAnalysis::run(llvm::Function& function,
                                   llvm::FunctionAnalysisManager& analyses) {
  return {function, analyses.getResult<LaneIdsAnalysis>(function)};
}

}  // namespace conclave::compiler
