// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/packet_cost.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "compiler/base/address_spaces.h"
#include "compiler/base/region.h"
#include "compiler/base/target_model.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/item_loops.h"
#include "compiler/vectorizer/analysis/joined_form.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_patterns.h"
#include "compiler/vectorizer/analysis/lane_runs.h"
#include "compiler/vectorizer/analysis/rare_blocks.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::TargetTransformInfo;

constexpr auto kTime = TargetTransformInfo::TCK_RecipThroughput;

// Lanes this far apart are in cache lines of their own.
constexpr int64_t kFarBytes = TargetModel::kLineBytes;

class Estimate {
 public:
  Estimate(const Shapes& shapes, const LanePatterns& patterns, unsigned lanes,
           const TargetTransformInfo& target)
      : shapes_(shapes), patterns_(patterns), lanes_(lanes), target_(target) {}

  PacketTimes of(const Instruction& instruction, bool is_masked) const {
    PacketTimes times = of_one_by_one(instruction, is_masked);
    // Without packets, LLVM's vectorizer does several iterations at once.
    times.scalar /= std::max(1.0, tuning().item_loop_lanes * item_lanes(instruction));
    return times;
  }

 private:
  PacketTimes of_one_by_one(const Instruction& instruction, bool is_masked) const {
    if (is_free(instruction)) return {};
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    // A value that is the same for all lanes, or counts up with them, is calculated once.
    if (!is_private(pointer) && (shapes_.stride(&instruction) || patterns_.offsets(&instruction)))
      return {1, 1};
    if (pointer) return access(instruction, pointer, is_masked);
    if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        change && locks_once(*change))
      return {tuning().locked_cost, tuning().locked_cost + registers(change->getType())};
    if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
      return {1, is_done_once(*block, is_masked) ? 1.0 : lanes_};
    return {1, registers(instruction.getType())};
  }

  static bool is_free(const Instruction& instruction) {
    return llvm::isa<llvm::PHINode, llvm::BranchInst, llvm::ReturnInst, llvm::GetElementPtrInst,
                     llvm::CastInst, llvm::DbgInfoIntrinsic, llvm::AllocaInst>(instruction) ||
           instruction.isLifetimeStartOrEnd() || is_lanes(instruction) || is_any(instruction) ||
           is_outside(instruction);
  }

  // Each lane has its own, at whatever address.
  static bool is_private(const llvm::Value* pointer) {
    return pointer && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
  }

  // Instructions that one operation of a packet takes.
  double registers(llvm::Type* type) const {
    llvm::Type* scalar = type->getScalarType();
    if (!llvm::VectorType::isValidElementType(scalar)) return lanes_;
    const double bits = std::max(32U, scalar->getScalarSizeInBits()) * lanes_;
    const auto width =
        target_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return std::ceil(bits / width) * (vector ? vector->getNumElements() : 1);
  }

  PacketTimes access(const Instruction& instruction, const llvm::Value* pointer,
                     bool is_masked) const {
    llvm::Type* type = llvm::getLoadStoreType(const_cast<Instruction*>(&instruction));
    if (instruction.isVolatile() && !is_one_access(instruction, pointer, type))
      return {1, lane_by_lane(instruction, type, is_masked)};
    // A packet's private arrays are interleaved: where lanes have the same index, they are neighbours.
    if (is_private(pointer)) {
      if (shapes_.is_uniform(pointer)) return {1, registers(type)};
      return {1, scattered(instruction, pointer, type, is_masked)};
    }
    if (const auto stride = patterns_.stride(pointer))
      return {1, std::abs(*stride) < kFarBytes ? registers(type) : lanes_};
    if (is_close_pattern(pointer, type)) return {1, tuning().close_access_cost * registers(type)};
    // Loads and stores one by one, whose distances are parts of the instructions.
    if (patterns_.offsets(pointer) && !is_masked && llvm::VectorType::isValidElementType(type))
      return {1, static_cast<double>(lanes_)};
    if (shapes_.assumed_stride(pointer)) return {1, registers(type)};
    const double scattered_cost = scattered(instruction, pointer, type, is_masked);
    if (may_follow(instruction, pointer, type))
      return {1, registers(type) + tuning().missed_runs * scattered_cost};
    return {1, scattered_cost};
  }

  // Whether packets ask if the lanes' elements follow one another.
  bool may_follow(const Instruction& instruction, const llvm::Value* pointer,
                  llvm::Type* type) const {
    if (!tuning().lane_runs || type->isVectorTy()) return false;
    const llvm::DataLayout& layout = instruction.getDataLayout();
    const auto run = find_lane_run(const_cast<llvm::Value*>(pointer), layout, patterns_);
    return run && std::abs(run->stride) == static_cast<int64_t>(layout.getTypeStoreSize(type));
  }

  // Whether a packet does it with one lock, of which there are none in local memory.
  bool locks_once(const llvm::AtomicRMWInst& change) const {
    const auto is_uniform = [&](const llvm::Value* value) { return shapes_.is_uniform(value); };
    return tuning().joined_atomics && change.getPointerAddressSpace() != kLocalAddressSpace &&
           joined_form(change, is_uniform) != JoinedForm::kNone;
  }

  // What an access takes whose lanes are anywhere.
  double scattered(const Instruction& instruction, const llvm::Value* pointer, llvm::Type* type,
                   bool is_masked) const {
    // Rows of elements are loaded one by one and transposed.
    if (auto* row = llvm::dyn_cast<llvm::FixedVectorType>(type)) return lanes_ + 2 * registers(row);
    if (!llvm::VectorType::isValidElementType(type)) return 2.0 * lanes_;
    auto cost = target_.getGatherScatterOpCost(
        instruction.getOpcode(), llvm::FixedVectorType::get(type, lanes_), pointer, is_masked,
        llvm::getLoadStoreAlignment(const_cast<Instruction*>(&instruction)), kTime);
    const double counted = cost.isValid() ? static_cast<double>(*cost.getValue()) : 2.0 * lanes_;
    return is_own(pointer) ? tuning().own_scattered_cost * counted : counted;
  }

  // Whether each lane has memory of its own there: a private variable, or what is left of one
  // across barriers.
  static bool is_own(const llvm::Value* pointer) {
    const llvm::Value* object = llvm::getUnderlyingObject(pointer);
    auto* parameter = llvm::dyn_cast<llvm::Argument>(object);
    return llvm::isa<llvm::AllocaInst>(object) ||
           (parameter && parameter->getArgNo() == kSpill && is_region(*parameter->getParent()));
  }

  // Whether packets do a volatile access once: lanes load from one place, or access neighbouring ones.
  bool is_one_access(const Instruction& access, const llvm::Value* pointer,
                     llvm::Type* type) const {
    if (is_private(pointer)) return false;
    auto stride = patterns_.stride(pointer);
    if (stride == 0) return llvm::isa<llvm::LoadInst>(access);
    if (!stride && !patterns_.offsets(pointer)) stride = shapes_.assumed_stride(pointer);
    return stride && std::abs(*stride) == static_cast<int64_t>(type->getPrimitiveSizeInBits() / 8);
  }

  // What an access takes that lanes do one after the other: addresses come out of vectors, and so does
  // what is stored, or what is loaded goes into one. Under a mask it is a loop, whose lanes are numbers
  // that are found, removed and asked for, and go through memory.
  double lane_by_lane(const Instruction& access, llvm::Type* type, bool is_masked) const {
    if (!llvm::VectorType::isValidElementType(type)) return 2.0 * lanes_;
    constexpr unsigned kLoopInstructions = 4;
    const bool is_load = llvm::isa<llvm::LoadInst>(access);
    const llvm::InstructionCost moves =
        moving_lanes(type, is_load ? Instruction::InsertElement : Instruction::ExtractElement,
                     is_masked) +
        moving_lanes(llvm::Type::getInt64Ty(access.getContext()), Instruction::ExtractElement,
                     is_masked);
    const unsigned others = lanes_ * (is_masked ? 1 + kLoopInstructions : 1);
    return others + (moves.isValid() ? static_cast<double>(*moves.getValue()) : lanes_);
  }

  // Whether lanes copy or fill the same memory, or fill pieces side by side.
  bool is_done_once(const llvm::MemIntrinsic& block, bool is_masked) const {
    if (shapes_.has_uniform_operands(block)) return true;
    auto* length = llvm::dyn_cast<llvm::ConstantInt>(block.getLength());
    return llvm::isa<llvm::MemSetInst>(block) && length && !is_masked &&
           shapes_.stride(block.getRawDest()) == length->getSExtValue();
  }

  // Elements into a vector, or out of it, at known places or not.
  llvm::InstructionCost moving_lanes(llvm::Type* type, unsigned operation, bool is_anywhere) const {
    auto* vector = llvm::FixedVectorType::get(type, lanes_);
    if (is_anywhere) return lanes_ * target_.getVectorInstrCost(operation, vector, kTime);
    const bool is_insertion = operation == Instruction::InsertElement;
    return target_.getScalarizationOverhead(vector, llvm::APInt::getAllOnes(lanes_), is_insertion,
                                            !is_insertion, kTime);
  }

  // Whether the lanes' places lie within a few vectors.
  bool is_close_pattern(const llvm::Value* pointer, llvm::Type* type) const {
    const LaneOffsets* offsets = patterns_.offsets(pointer);
    if (!offsets) return false;
    const auto [least, most] = std::minmax_element(offsets->begin(), offsets->end());
    return *most - *least < static_cast<int64_t>(tuning().close_vectors * lanes_ *
                                                 type->getPrimitiveSizeInBits() / 8);
  }

  const Shapes& shapes_;
  const LanePatterns& patterns_;
  unsigned lanes_;
  const TargetTransformInfo& target_;
};

// Loops that the program itself has vectors for are where its time goes.
struct Times {
  PacketTimes all;
  llvm::SmallDenseMap<const llvm::Loop*, PacketTimes> loops_with_vectors;
};

// Whether an innermost loop calculates with explicit vectors that fill registers.
bool has_own_vectors(const llvm::Loop& loop, const TargetTransformInfo& target) {
  if (!loop.isInnermost()) return false;
  const auto width = target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector);
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](const Instruction& instruction) {
      return llvm::isa<llvm::BinaryOperator, llvm::CallInst>(instruction) &&
             instruction.getType()->isVectorTy() &&
             instruction.getType()->getPrimitiveSizeInBits() >= width;
    });
  });
}

// Whether what a loop calculates of a mask differs between lanes by more than where a row of ids ends, as
// `id < n` does in a loop over every 1,000th element.
bool divides_lanes(llvm::Value* mask, const llvm::Loop& loop, const Shapes& shapes) {
  const auto is_in_row = [&](const llvm::Value* value) {
    return shapes.stride(value) || shapes.assumed_stride(value);
  };
  llvm::SmallVector<llvm::Value*> open = {mask};
  llvm::SmallPtrSet<const Instruction*, 16> seen;
  while (!open.empty()) {
    auto* part = llvm::dyn_cast<Instruction>(open.pop_back_val());
    if (!part || !loop.contains(part) || llvm::isa<llvm::PHINode>(part) ||
        shapes.is_uniform(part) || !seen.insert(part).second)
      continue;
    if (part->isBitwiseLogicOp() || llvm::isa<llvm::SelectInst, llvm::FreezeInst>(part))
      llvm::append_range(open, part->operands());
    else if (!llvm::isa<llvm::ICmpInst>(part) || !llvm::all_of(part->operands(), is_in_row))
      return true;
  }
  return false;
}

// Whether the lanes leave a loop at different times: its packets run until the last one does.
bool is_uneven(const llvm::Loop& loop, const Shapes& shapes) {
  llvm::SmallVector<llvm::BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  return llvm::any_of(exiting, [&](const llvm::BasicBlock* block) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    auto* vote = branch && branch->isConditional()
                     ? llvm::dyn_cast<llvm::CallInst>(branch->getCondition())
                     : nullptr;
    return vote && is_any(*vote) && divides_lanes(vote->getArgOperand(0), loop, shapes);
  });
}

Times estimate(llvm::Function& region, const LaneIds& ids, const Shapes& shapes, unsigned lanes,
               const TargetTransformInfo& target) {
  const LanePatterns patterns(region, ids, shapes, lanes);
  Estimate estimate(shapes, patterns, lanes, target);
  llvm::DominatorTree dominators(region);
  llvm::LoopInfo loops(dominators);
  const auto rare = rare_blocks(region, dominators);
  llvm::SmallPtrSet<const llvm::Loop*, 8> uneven;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    if (is_uneven(*loop, shapes)) uneven.insert(loop);
  Times times;
  for (llvm::BasicBlock& block : region) {
    if (rare.contains(&block)) continue;
    PacketTimes once;
    const bool is_masked = mask_of(block) != nullptr;
    for (const Instruction& instruction : block) once += estimate.of(instruction, is_masked);
    const llvm::Loop* loop = loops.getLoopFor(&block);
    if (loop && has_own_vectors(*loop, target)) times.loops_with_vectors[loop] += once;
    const double weight = std::pow(tuning().estimated_iterations, loops.getLoopDepth(&block));
    const double waste = uneven.contains(loop) ? tuning().uneven_loop_cost : 1;
    times.all += {weight * once.scalar, weight * waste * once.packet};
  }
  return times;
}

double gain_of(const PacketTimes& times, unsigned lanes) {
  return times.packet > 0 ? times.scalar * lanes / times.packet : lanes;
}

}  // namespace

PacketCosts::PacketCosts(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                         TargetTransformInfo target)
    : function_(&function),
      ids_(analyses.getResult<LaneIdsAnalysis>(function).lanes),
      shapes_(&analyses.getResult<ShapesAnalysis>(function)),
      target_(std::move(target)) {}

const PacketCost& PacketCosts::of(unsigned lanes) {
  const auto [known, is_new] = known_.try_emplace(lanes);
  PacketCost& cost = known->second;
  if (!is_new) return cost;
  const Times times = estimate(*function_, ids_, shapes_->along_lanes(lanes), lanes, target_);
  cost.times = times.all;
  cost.gain = gain_of(times.all, lanes);
  for (const auto& [loop, time] : times.loops_with_vectors)
    cost.gain = std::min(cost.gain, gain_of(time, lanes) / tuning().packet_gain_over_vectors);
  return cost;
}

bool PacketCosts::invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                             llvm::FunctionAnalysisManager::Invalidator& invalidator) {
  auto checker = preserved.getChecker<PacketCostAnalysis>();
  const bool is_preserved =
      checker.preserved() || checker.preservedSet<llvm::AllAnalysesOn<llvm::Function>>();
  return !is_preserved || invalidator.invalidate<ShapesAnalysis>(function, preserved);
}

llvm::AnalysisKey PacketCostAnalysis::Key;

PacketCosts PacketCostAnalysis::run(llvm::Function& function,
                                    llvm::FunctionAnalysisManager& analyses) {
  return {function, analyses, costs_.run(function, analyses)};
}

}  // namespace conclave::compiler
