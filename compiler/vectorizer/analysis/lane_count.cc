// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_count.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>

#include "compiler/base/builtin_name.h"
#include "compiler/base/region.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_dimension.h"
#include "compiler/vectorizer/analysis/live_values.h"
#include "compiler/vectorizer/analysis/shapes.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kMostLanes = 64;  // a mask is an integer of that many bits at most

// For what a loop of one chain of operations keeps, which is to stay in registers with more lanes.
unsigned chain_registers(const TargetModel& cpu) {
  return cpu.vector_registers >= 32 ? tuning().chain_registers_in_32
                                    : tuning().chain_registers_in_16;
}

// Bits of what an instruction computes with; 0 for what has no part in the choice of lanes. Functions of
// half compute in float.
unsigned computed_bits(const Instruction& instruction, const TargetModel& cpu) {
  const bool is_operation =
      llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::IntrinsicInst>(instruction);
  if (!is_operation && !llvm::isa<llvm::CallBase>(instruction)) return 0;
  const llvm::Type* type = instruction.getType()->getScalarType();
  if (!type->isFloatingPointTy()) return 0;
  const unsigned least = cpu.has_half_arithmetic && is_operation ? 16 : 32;
  return std::max(least, type->getScalarSizeInBits());
}

// Builtins that become one operation, or two.
bool is_brief_builtin(const llvm::CallInst& call) {
  static const llvm::StringSet<> names = {"fma", "mad", "fmin",  "fmax",  "fabs",
                                          "min", "max", "mul24", "mad24", "abs"};
  const llvm::Function* callee = call.getCalledFunction();
  return callee && names.contains(base_name(callee->getName()));
}

class Loops {
 public:
  Loops(llvm::Function& region, unsigned chain_registers, const llvm::LoopInfo& loops)
      : region_(region),
        chain_registers_(chain_registers),
        ids_(lane_ids_along(region, 0)),
        uniformity_(region, ids_),
        shapes_(region, ids_, tuning().max_usual_lanes),
        loops_(loops) {}

  // How many times the usual lanes are to be had for one of operations that wait for each other,
  // whose values have up to so many bits, take so many registers each, and fit into them several times.
  unsigned times_of_short_chain(unsigned bits, unsigned registers) const {
    unsigned times = 1;
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder())
      if (loop->isInnermost() && is_short_chain(*loop, bits))
        times = std::max(times, llvm::bit_floor(times_of_chain(*loop, registers)));
    return std::min(times, tuning().chain_times);
  }

  // One that lanes leave at different times, which computes with long integers.
  bool has_long_integers() const {
    return llvm::any_of(loops_.getLoopsInPreorder(), [&](const llvm::Loop* loop) {
      return loop->isInnermost() && leaves_at_different_times(*loop) &&
             count(*loop, is_integer_of_64_bits) > count(*loop, is_narrow);
    });
  }

  // Bytes of the structures whose fields the region takes and puts back, if it does hardly anything
  // else; 0 where it does.
  uint64_t record_bytes() const {
    uint64_t bytes = 0;
    unsigned fields = 0, operations = 0;
    for (const Instruction& instruction : llvm::instructions(region_)) {
      operations +=
          llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CallBase>(instruction);
      const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (!pointer) continue;
      const uint64_t stride = static_cast<uint64_t>(std::abs(shapes_.stride(pointer).value_or(0)));
      const llvm::Type* type = llvm::getLoadStoreType(const_cast<Instruction*>(&instruction));
      if (8 * stride <= type->getPrimitiveSizeInBits()) continue;
      bytes = std::max(bytes, stride);
      fields += type->isVectorTy() ? llvm::cast<llvm::FixedVectorType>(type)->getNumElements() : 1;
    }
    return operations <= 2 * fields && loops_.empty() ? bytes : 0;
  }

  // The most registers that values of so many lanes need at once. Narrow numbers need one each anyway.
  unsigned live_registers(unsigned lanes, const TargetModel& cpu) const {
    const unsigned numbers = most_live(region_, [&](const Instruction& value) {
      const llvm::Type& type = *value.getType();
      const bool is_number = type.isIntOrIntVectorTy() || type.isFPOrFPVectorTy();
      const bool counts = is_number && type.getScalarSizeInBits() >= 32 && varies(value);
      return counts ? numbers_of_32_bits(type) : 0U;
    });
    return numbers * lanes * 32 / cpu.vector_bits;
  }

 private:
  static unsigned numbers_of_32_bits(const llvm::Type& type) {
    const unsigned each = llvm::divideCeil(type.getScalarSizeInBits(), 32);
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
    return vector ? each * vector->getNumElements() : each;
  }

  // Returns how many times the lanes fit into the registers; not more often than is good for lanes
  // that leave at different times, since they wait for the last.
  unsigned times_of_chain(const llvm::Loop& loop, unsigned registers) const {
    const unsigned fit = chain_registers_ / (count_kept(loop) * registers);
    return leaves_at_different_times(loop) ? std::min(fit, tuning().uneven_chain_times) : fit;
  }

  static bool is_integer_of_64_bits(const Instruction& instruction) {
    return llvm::isa<llvm::BinaryOperator>(instruction) && instruction.getType()->isIntegerTy(64);
  }
  static bool is_narrow(const Instruction& instruction) {
    return llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator>(instruction) &&
           instruction.getType()->getPrimitiveSizeInBits() <= 32;
  }
  static bool is_single_operation(const Instruction& instruction) {
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      return intrinsic->isAssumeLikeIntrinsic() || intrinsic->isCommutative() ||
             intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd ||
             intrinsic->getIntrinsicID() == llvm::Intrinsic::fma;
    if (instruction.getType()->isVectorTy() || instruction.getType()->getPrimitiveSizeInBits() > 64)
      return false;
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return is_brief_builtin(*call);
    return !llvm::isa<llvm::CallBase, llvm::StoreInst>(instruction);
  }

  // Whether lanes have values of their own, which are not at a known distance either.
  bool varies(const Instruction& instruction) const {
    return uniformity_.is_divergent(instruction) && shapes_.stride(&instruction).value_or(0) == 0;
  }

  template <class Kind>
  unsigned count(const llvm::Loop& loop, Kind kind) const {
    unsigned number = 0;
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block)
        number += kind(instruction) && varies(instruction);
    return number;
  }

  bool leaves_at_different_times(const llvm::Loop& loop) const {
    llvm::SmallVector<llvm::BasicBlock*> ends;
    loop.getExitingBlocks(ends);
    return llvm::any_of(
        ends, [&](const llvm::BasicBlock* end) { return uniformity_.has_divergent_branch(*end); });
  }

  bool is_short_chain(const llvm::Loop& loop, unsigned bits) const {
    for (const llvm::BasicBlock* block : loop.blocks())
      if (!llvm::all_of(*block, is_single_operation)) return false;
    const auto is_long = [bits](const Instruction& instruction) {
      const llvm::Type& type = *instruction.getType();
      return (type.isIntegerTy(64) || (type.isDoubleTy() && bits < 64)) &&
             !llvm::isa<llvm::CastInst>(instruction);  // of an index
    };
    return count_carried(loop) > 0 && count(loop, is_long) == 0 && !loads_in_turn(loop);
  }

  unsigned count_kept(const llvm::Loop& loop) const {
    return count_carried(loop) + count_invariants(loop);
  }

  // Vectors that an iteration leaves to the next. Where lanes leave at different times these are
  // the lanes that are still there, too, and what they take along.
  unsigned count_carried(const llvm::Loop& loop) const {
    const bool is_divergent = leaves_at_different_times(loop);
    unsigned number = is_divergent;
    for (const llvm::PHINode& phi : loop.getHeader()->phis())
      number += varies(phi) || (is_divergent && is_used_outside(phi, loop));
    return number;
  }

  static bool is_used_outside(const llvm::PHINode& phi, const llvm::Loop& loop) {
    return llvm::any_of(phi.users(), [&](const llvm::User* user) {
      return !loop.contains(llvm::cast<Instruction>(user));
    });
  }

  unsigned count_invariants(const llvm::Loop& loop) const {
    llvm::SmallPtrSet<const Value*, 8> values;
    for (const llvm::BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block)
        for (const Value* operand : instruction.operands())
          if (auto* other = llvm::dyn_cast<Instruction>(operand);
              other && !loop.contains(other) && varies(*other))
            values.insert(other);
    return values.size();
  }

  // More lanes do not help a loop whose lanes read memory one behind the other, because it waits
  // for memory. Neither do they help lanes that stay together and read in many places, since the
  // caches would have to hold all of these.
  bool loads_in_turn(const llvm::Loop& loop) const {
    const bool stay_together = !leaves_at_different_times(loop);
    return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
      return llvm::any_of(*block, [&](const Instruction& instruction) {
        const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
        if (!pointer) return false;
        const auto stride = shapes_.stride(pointer);
        return stride ? *stride != 0 : stay_together && !shapes_.assumed_stride(pointer);
      });
    });
  }

  const llvm::Function& region_;
  const unsigned chain_registers_;
  const LaneIds ids_;
  const Uniformity uniformity_;
  const Shapes shapes_;
  const llvm::LoopInfo& loops_;
};

}  // namespace

llvm::AnalysisKey LaneCountAnalysis::Key;

LaneCount LaneCountAnalysis::run(llvm::Function& region,
                                 llvm::FunctionAnalysisManager& analyses) const {
  const unsigned register_bits = cpu_.vector_bits;
  unsigned doubles = 0, floats = 0, halves = 0, longest = tuning().usual_vector_bits;
  for (const Instruction& instruction : llvm::instructions(region)) {
    const unsigned width = computed_bits(instruction, cpu_);
    doubles += width == 64;
    floats += width == 32;
    halves += width == 16;
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType()))
      longest = std::max<unsigned>(longest, vector->getPrimitiveSizeInBits());
  }
  const Loops loops(region, chain_registers(cpu_), analyses.getResult<llvm::LoopAnalysis>(region));
  unsigned lanes = tuning().registers_per_value * register_bits / 32;
  const bool has_doubles = tuning().double_lanes && doubles > floats + halves;
  const bool has_halves = tuning().half_lanes && halves > floats + doubles;
  if (has_doubles || (tuning().long_integer_lanes && loops.has_long_integers())) lanes /= 2;
  // Longer explicit vectors fill registers by themselves.
  const auto longest_vectors =
      static_cast<unsigned>(llvm::divideCeil(longest, tuning().usual_vector_bits));
  lanes = std::clamp(lanes / std::bit_ceil(longest_vectors), tuning().min_lanes,
                     (has_halves ? 2 : 1) * tuning().max_usual_lanes);
  // Where there are so many values, no operation has to wait for another one's result.
  const bool has_several_registers = lanes * (has_doubles ? 64 : 32) > register_bits;
  if (has_several_registers && lanes > tuning().min_lanes &&
      loops.live_registers(lanes / 2, cpu_) > cpu_.vector_registers)
    lanes /= 2;
  if (const uint64_t record = 8 * loops.record_bytes();
      record && register_bits == 512 && tuning().record_lanes)
    while (lanes > tuning().min_lanes &&
           lanes * record > tuning().max_record_registers * register_bits)
      lanes /= 2;
  if (!tuning().chain_lanes) return {lanes, lanes};
  const unsigned bits = has_doubles ? 64 : has_halves ? 16 : 32;
  const unsigned times =
      loops.times_of_short_chain(bits, std::max(1u, lanes * bits / register_bits));
  return {lanes, std::min(lanes * times, kMostLanes)};
}

llvm::PreservedAnalyses PrintLaneCount::run(llvm::Function& region,
                                            llvm::FunctionAnalysisManager& analyses) const {
  if (!is_region(region)) return llvm::PreservedAnalyses::all();
  const LaneCount& lanes = analyses.getResult<LaneCountAnalysis>(region);
  out << "; lanes for " << region.getName() << ": " << lanes.usual << ", in long rows "
      << lanes.in_long_rows << "\n";
  return llvm::PreservedAnalyses::all();
}

}  // namespace conclave::compiler
