// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_runs.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/base/target_model.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::APInt;
using llvm::Instruction;
using llvm::Value;

bool is_uniform(const LanePatterns& lanes, const Value* value) {
  return lanes.stride(value) == 0;
}

// Whether an operation hands on a number, perhaps with fewer or more bits.
bool hands_on(const Value* value) {
  return llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(value);
}

bool is_integer_operation(const Instruction& instruction) {
  return instruction.isBinaryOp() ||
         llvm::isa<llvm::SelectInst, llvm::MinMaxIntrinsic>(instruction) || hands_on(&instruction);
}

// An id times a number is what the kernel walks through memory by rows with.
bool multiplies_strided(const Instruction& instruction, const LanePatterns& lanes) {
  if (instruction.getOpcode() != Instruction::Mul) return false;
  return llvm::any_of(instruction.operands(),
                      [&](const Value* operand) { return lanes.stride(operand).value_or(0) != 0; });
}

// Whether the value is what a counter is next, by a step that is the same for all lanes.
bool is_next(const Value* value, const llvm::PHINode& counter, const LanePatterns& lanes) {
  auto* sum = llvm::dyn_cast<Instruction>(value);
  return sum && sum->getOpcode() == Instruction::Add && sum->getOperand(0) == &counter &&
         is_uniform(lanes, sum->getOperand(1));
}

// Whether the value is a counter's at the end of its loop, which lanes may pass that run no more.
bool ends_loop_of(const Value* value, const llvm::PHINode& counter, const LanePatterns& lanes) {
  if (is_next(value, counter, lanes)) return true;
  auto* either = llvm::dyn_cast<llvm::PHINode>(value);
  return either && either != &counter &&
         llvm::all_of(either->incoming_values(), [&](const Value* one) {
           return one == &counter || is_next(one, counter, lanes);
         });
}

// Whether nothing else that differs from lane to lane has a part in a value than ids.
bool is_made_of_ids(const Value* value, const LanePatterns& lanes, unsigned depth = 0) {
  if (lanes.stride(value)) return true;
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || depth == tuning().lane_run_depth) return false;
  if (const Value* start = start_of_counter(value, lanes))
    return is_made_of_ids(start, lanes, depth + 1);
  if (!is_integer_operation(*instruction) || multiplies_strided(*instruction, lanes)) return false;
  // A condition that chooses between two values, or between 0 and 1, need not be like them.
  if (hands_on(instruction) && instruction->getOperand(0)->getType()->isIntegerTy(1)) return true;
  const unsigned first = llvm::isa<llvm::SelectInst>(instruction) ? 1 : 0;
  for (unsigned i = first; i < instruction->getNumOperands(); ++i) {
    const Value* operand = instruction->getOperand(i);
    if (!llvm::isa<llvm::Function>(operand) && !is_made_of_ids(operand, lanes, depth + 1))
      return false;
  }
  return true;
}

// The number that operations hand on.
Value* origin_of(Value* value) {
  while (hands_on(value)) value = llvm::cast<Instruction>(value)->getOperand(0);
  return value;
}

bool is_compared_with_one(const Instruction& instruction) {
  using namespace llvm::PatternMatch;
  return match(&instruction, m_SpecificICmp(llvm::ICmpInst::ICMP_EQ, m_Value(), m_One()));
}

// Whether an argument of the kernel is multiplied by ids, and serves for nothing else: a pitch would also
// be multiplied by the numbers of rows, or end loops. Packets that have been made of its products have
// vectors of it, and compare it with 1.
bool is_increment(const llvm::Argument& argument, const LanePatterns& lanes) {
  if (!is_uniform(lanes, &argument)) return false;
  llvm::SmallVector<const Value*> open = {&argument};
  while (!open.empty()) {
    const Value* number = open.pop_back_val();
    for (const llvm::User* user : number->users()) {
      const auto* instruction = llvm::cast<Instruction>(user);
      if (hands_on(instruction))
        open.push_back(instruction);
      else if (!multiplies_strided(*instruction, lanes) && !is_compared_with_one(*instruction) &&
               !llvm::isa<llvm::InsertElementInst>(instruction))
        return false;
    }
  }
  return true;
}

// Where a vector begins: neither the number of a column nor what a loop changes.
bool is_offset(Value* value) {
  return llvm::isa<llvm::Argument, llvm::Constant>(origin_of(value));
}

std::optional<IncrementedIndex> incremented_index(Value* index, const LanePatterns& lanes) {
  IncrementedIndex result{};
  auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(index);
  for (; operation && operation->getOpcode() != Instruction::Mul;
       operation = llvm::dyn_cast<llvm::BinaryOperator>(index)) {
    const auto opcode = operation->getOpcode();
    const bool is_left = is_uniform(lanes, operation->getOperand(1));
    Value* offset = operation->getOperand(is_left ? 1 : 0);
    const bool is_sum = opcode == Instruction::Add || (opcode == Instruction::Sub && is_left);
    if (!is_sum || !is_uniform(lanes, offset) || !is_offset(offset)) return std::nullopt;
    result.offsets.emplace_back(opcode, offset);
    index = operation->getOperand(is_left ? 0 : 1);
  }
  if (!operation) return std::nullopt;
  for (unsigned side : {0U, 1U}) {
    result.id = operation->getOperand(side);
    Value* factor = origin_of(operation->getOperand(1 - side));
    result.increment = llvm::dyn_cast<llvm::Argument>(factor);
    if (result.increment && lanes.stride(result.id) == 1 && is_increment(*result.increment, lanes))
      return result;
  }
  return std::nullopt;
}

// Whether ids are divided: neighbours often have one quotient.
bool has_quotient(const Value* value, const LanePatterns& lanes, unsigned depth = 0) {
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || is_uniform(lanes, value) || depth == tuning().lane_run_depth) return false;
  switch (instruction->getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::LShr:
    case Instruction::AShr:
      return true;
    default:
      return is_integer_operation(*instruction) &&
             llvm::any_of(instruction->operands(), [&](const Value* operand) {
               return has_quotient(operand, lanes, depth + 1);
             });
  }
}

// The depth keeps this from following sums without end.
bool sums_counter(const Value* value, const LanePatterns& lanes, unsigned depth) {
  if (start_of_counter(value, lanes)) return !is_uniform(lanes, value);
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  if (!sum || depth == tuning().lane_run_depth) return false;
  if (sum->getOpcode() != Instruction::Add && sum->getOpcode() != Instruction::Sub) return false;
  return llvm::any_of(sum->operands(), [&](const Value* operand) {
    return sums_counter(operand, lanes, depth + 1);
  });
}

// Private memory: each lane has its own although nothing in the address differs.
bool is_lanes_own(const llvm::GEPOperator& address, const LanePatterns& lanes) {
  return llvm::all_of(address.operands(),
                      [&](const Value* operand) { return is_uniform(lanes, operand); });
}

}  // namespace

Value* start_of_counter(const Value* value, const LanePatterns& lanes) {
  auto* counter = llvm::dyn_cast<llvm::PHINode>(value);
  if (!counter || counter->getNumIncomingValues() != 2) return nullptr;
  for (unsigned i : {0U, 1U})
    if (ends_loop_of(counter->getIncomingValue(1 - i), *counter, lanes))
      return counter->getIncomingValue(i);
  return nullptr;
}

bool has_counter(const Value* value, const LanePatterns& lanes) {
  return sums_counter(value, lanes, 0);
}

std::optional<LaneRun> find_lane_run(Value* pointer, const llvm::DataLayout& layout,
                                     const LanePatterns& lanes) {
  LaneRun run;
  APInt offset(TargetModel::kPointerBits, 0);
  while (!is_uniform(lanes, pointer)) {
    auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer);
    if (!address || is_lanes_own(*address, lanes) ||
        !address->collectOffset(layout, TargetModel::kPointerBits, run.offsets, offset))
      return std::nullopt;
    pointer = address->getPointerOperand();
  }
  run.base = pointer;
  run.offset = offset.getSExtValue();
  for (const auto& [value, scale] : run.offsets) {
    if (is_uniform(lanes, value)) continue;
    if (run.index) return std::nullopt;
    run.index = value;
    run.stride = scale.getSExtValue();
  }
  if (!run.index || lanes.stride(run.index)) return std::nullopt;
  run.offsets.erase(run.index);
  if (auto* extension = llvm::dyn_cast<llvm::CastInst>(run.index);
      extension && llvm::isa<llvm::ZExtInst, llvm::SExtInst>(extension)) {
    run.is_signed = llvm::isa<llvm::SExtInst>(extension);
    run.index = extension->getOperand(0);
  }
  const auto is_offset_in_address = [](const auto& offset) { return is_offset(offset.first); };
  if (llvm::all_of(run.offsets, is_offset_in_address))
    run.incremented = incremented_index(run.index, lanes);
  if (!run.incremented && !is_made_of_ids(run.index, lanes)) return std::nullopt;
  run.counts = has_counter(run.index, lanes);
  run.may_be_one_place = !run.incremented && (run.counts || has_quotient(run.index, lanes));
  // All lane numbers must be indices.
  if (run.index->getType()->getScalarSizeInBits() < 16) return std::nullopt;
  return run;
}

}  // namespace conclave::compiler
