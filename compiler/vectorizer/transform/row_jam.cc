// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/row_jam.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "compiler/base/target_model.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/shapes.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// A row of this size is accessed at once.
constexpr int64_t kRowBytes = TargetModel::kSectionBytes;

// Stores across rows are fastest in whole lines of the caches, as long as the rows' values more or
// less fit into the registers.
constexpr int64_t kLineBytes = TargetModel::kLineBytes;

bool is_hint(const Instruction& instruction) {
  auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return instruction.isDebugOrPseudoInst() || (intrinsic && intrinsic->isAssumeLikeIntrinsic());
}

// Private memory is each work-item's own, and effects want all of them, in some order.
bool may_be_jammed(const Instruction& instruction) {
  if (is_hint(instruction)) return true;
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isSimple();
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  return !llvm::isa<llvm::AllocaInst>(instruction) && !instruction.mayHaveSideEffects();
}

bool all_rows_take_the_same_way(const llvm::Function& region, const Shapes& rows) {
  return llvm::all_of(region, [&](const llvm::BasicBlock& block) {
    const Instruction* end = block.getTerminator();
    return llvm::isa<llvm::ReturnInst>(end) || rows.has_uniform_operands(*end);
  });
}

int64_t size_of_access(const Instruction& access) {
  auto* type = llvm::getLoadStoreType(const_cast<Instruction*>(&access));
  return static_cast<int64_t>(access.getDataLayout().getTypeStoreSize(type));
}

unsigned most_carried(const llvm::LoopInfo& loops, const Shapes& rows) {
  unsigned most = 0;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder())
    most = std::max(most, static_cast<unsigned>(llvm::count_if(
                              loop->getHeader()->phis(),
                              [&](const llvm::PHINode& phi) { return !rows.is_uniform(&phi); })));
  return most;
}

class Jam {
 public:
  Jam(llvm::Function& region, const LaneIds& rows, const Shapes& shapes, unsigned count)
      : region_(region), ids_(rows), shapes_(shapes), copies_(count) {}

  void run() {
    llvm::SmallVector<Instruction*> all;
    for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&region_))
      for (Instruction& instruction : *block)
        if (!instruction.isTerminator() && !is_hint(instruction) &&
            !shapes_.is_uniform(&instruction))
          all.push_back(&instruction);
    for (Value* id : ids_.consecutive) {
      llvm::IRBuilder<> builder(&region_.getEntryBlock(), region_.getEntryBlock().begin());
      for (unsigned row = 1; row < count(); ++row)
        copies_[row][id] = builder.CreateAdd(id, builder.getInt64(row), "row", true, true);
    }
    for (Instruction* instruction : all)
      is_known_distance(*instruction) ? add(*instruction) : repeat(*instruction);
    for (unsigned row = 1; row < count(); ++row)
      for (Value* first : repeated_) remap(copies_[row], *first);
  }

 private:
  using Values = llvm::DenseMap<const Value*, Value*>;

  unsigned count() const { return static_cast<unsigned>(copies_.size()); }

  // Whether the value of other rows follows from that of row 0, which may not be asked for where
  // these are, as in `y > 0 ? y - 1 : 0`: then it must not be poison.
  bool is_known_distance(const Instruction& instruction) {
    if (!shapes_.stride(&instruction) || llvm::isa<llvm::PHINode>(instruction) ||
        llvm::isa<llvm::PossiblyDisjointInst>(instruction) ||
        shapes_.extends_with_sign(instruction))
      return false;
    if (shapes_.may_wrap_with_sign(&instruction) && !llvm::programUndefinedIfPoison(&instruction))
      return false;
    return llvm::none_of(instruction.operands(),
                         [&](const llvm::Use& operand) { return repeated_.contains(operand); });
  }

  // A constant distance is easier to recognise than the same calculation once more.
  void add(Instruction& instruction) {
    const int64_t stride = *shapes_.stride(&instruction);
    llvm::Type* type = instruction.getType();
    llvm::IRBuilder<> builder(instruction.getNextNode());
    for (unsigned row = 1; row < count(); ++row)
      copies_[row][&instruction] =
          type->isPointerTy()
              ? builder.CreatePtrAdd(&instruction, builder.getInt64(row * stride))
              : builder.CreateAdd(&instruction, llvm::ConstantInt::getSigned(type, row * stride),
                                  "", stride >= 0 && shapes_.is_exact(&instruction, false),
                                  shapes_.is_exact(&instruction, true));
    keep_true_flags(instruction);
  }

  void keep_true_flags(Instruction& instruction) {
    auto* operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction);
    const bool is_signed =
        operation && operation->hasNoSignedWrap() &&
        shapes_.is_flag_true_of_all(llvm::cast<llvm::BinaryOperator>(instruction), true);
    const bool is_unsigned =
        operation && operation->hasNoUnsignedWrap() &&
        shapes_.is_flag_true_of_all(llvm::cast<llvm::BinaryOperator>(instruction), false);
    instruction.dropPoisonGeneratingFlags();
    if (is_signed) instruction.setHasNoSignedWrap();
    if (is_unsigned) instruction.setHasNoUnsignedWrap();
  }

  void repeat(Instruction& instruction) {
    repeated_.insert(&instruction);
    Instruction* last = &instruction;
    for (unsigned row = 1; row < count(); ++row) {
      Instruction* copy = instruction.clone();
      copy->insertAfter(last);
      copies_[row][&instruction] = last = copy;
    }
  }

  static void remap(const Values& values, const Value& first) {
    auto& copy = *llvm::cast<Instruction>(values.lookup(&first));
    for (llvm::Use& operand : copy.operands())
      if (Value* own = values.lookup(operand)) operand.set(own);
  }

  llvm::Function& region_;
  const LaneIds& ids_;
  const Shapes& shapes_;        // along rows, of the function as it was
  std::vector<Values> copies_;  // of each row, of what row 0 has
  llvm::SmallPtrSet<Value*, 32> repeated_;
};

}  // namespace

unsigned rows_at_once(llvm::Function& region, llvm::FunctionAnalysisManager& analyses,
                      unsigned registers) {
  const LaneIds& rows = analyses.getResult<LaneIdsAnalysis>(region).rows;
  if (llvm::all_of(rows.consecutive, [](const Value* id) { return id->use_empty(); })) return 1;
  if (!llvm::all_of(llvm::instructions(region), may_be_jammed)) return 1;
  const Shapes& along_rows =
      analyses.getResult<ShapesAnalysis>(region).along_rows(tuning().jammed_rows);
  if (!all_rows_take_the_same_way(region, along_rows)) return 1;
  const unsigned carried = std::max(
      1u, most_carried(analyses.getResult<llvm::LoopAnalysis>(region), along_rows) * registers);
  unsigned count =
      std::min(tuning().jammed_rows,
               llvm::bit_floor(tuning().jammed_values / std::min(carried, tuning().jammed_values)));
  while (count > 1 && region.getInstructionCount() * count > tuning().jammed_instructions)
    count /= 2;
  return count;
}

AccessesAcross find_accesses_across(llvm::Function& region,
                                    llvm::FunctionAnalysisManager& analyses) {
  FunctionShapes& shapes = analyses.getResult<ShapesAnalysis>(region);
  const Shapes& along_lanes = shapes.along_lanes(tuning().jammed_rows);
  const Shapes& along_rows = shapes.along_rows(tuning().jammed_rows);
  AccessesAcross found;
  unsigned loads = 0;
  for (Instruction& instruction : llvm::instructions(region)) {
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer) continue;
    const bool is_load = llvm::isa<llvm::LoadInst>(instruction);
    const int64_t size = size_of_access(instruction);
    const auto distance = along_lanes.stride(pointer);
    loads += is_load && !along_rows.is_uniform(&instruction);
    if (along_rows.stride(pointer) != size || size > kRowBytes / 2 ||
        (distance && std::abs(*distance) <= kRowBytes))
      continue;
    found.any = true;
    if (!is_load && size >= tuning().line_row_bytes)
      found.rows_of_line = static_cast<unsigned>(kLineBytes / size);
  }
  if (!tuning().line_rows || loads > tuning().line_row_loads ||
      !analyses.getResult<llvm::LoopAnalysis>(region).empty() ||
      region.getInstructionCount() * found.rows_of_line > tuning().jammed_instructions)
    found.rows_of_line = 0;
  return found;
}

llvm::PreservedAnalyses JamRows::run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto& ids, PartRemarks& remarks) {
    if (rows_at_once(region, analyses, /*registers=*/1) == 1) {
      remarks.refuse("rows cannot run at once");
      return;
    }
    const Shapes& along_rows = analyses.getResult<ShapesAnalysis>(region).along_rows(count);
    Jam(region, ids.rows, along_rows, count).run();
  });
}

double count_loads_in_loops(llvm::Function& region, llvm::FunctionAnalysisManager& analyses) {
  const Shapes& along_lanes =
      analyses.getResult<ShapesAnalysis>(region).along_lanes(tuning().jammed_rows);
  const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(region);
  double count = 0;
  for (llvm::BasicBlock& block : region) {
    const unsigned depth = loops.getLoopDepth(&block);
    for (const Instruction& instruction : block)
      if (depth > 0 && llvm::isa<llvm::LoadInst>(instruction) &&
          !along_lanes.is_uniform(&instruction))
        count += std::pow(tuning().estimated_iterations, depth);
  }
  return count;
}

}  // namespace conclave::compiler
