// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/uniform_steps.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/base/tuning.h"
#include "compiler/workgroup/group_uniformity.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;

class StepSplitter {
 public:
  StepSplitter(llvm::Function& kernel, const BarrierCuts& cuts, const GroupUniformity& uniformity)
      : layout_(kernel.getDataLayout()), cuts_(cuts), uniformity_(uniformity) {
    for (llvm::BasicBlock& block : kernel)
      if (!uniformity_.joins.contains(&block))
        for (PHINode& phi : block.phis())
          if (phi.getType()->isIntOrPtrTy() && differs(phi)) phis_.insert(&phi);
  }

  bool run() {
    find_starts();
    phis_.remove_if([&](PHINode* phi) { return !starts_[phi] || is_start_.contains(phi); });
    llvm::SmallPtrSet<Value*, 8> kept;
    for (PHINode* phi : phis_)
      if (crosses(*phi)) kept.insert(starts_[phi]);
    phis_.remove_if([&](PHINode* phi) { return !kept.contains(starts_[phi]); });
    for (PHINode* phi : phis_) add_offset(*phi);
    for (PHINode* phi : phis_) fill_offset(*phi);
    for (PHINode* phi : phis_) replace(*phi);
    return !phis_.empty();
  }

 private:
  bool differs(const Value& value) const { return uniformity_.values.is_divergent(value); }

  // Returns the operand to which the instruction adds a number that is the same for all work-items;
  // null if it does not.
  Value* stepped(Value* value) const {
    auto* step = llvm::dyn_cast<Instruction>(value);
    if (!step || !step->getType()->isIntOrPtrTy()) return nullptr;
    const bool is_step =
        step->getOpcode() == Instruction::Add || llvm::isa<llvm::GetElementPtrInst>(step);
    if (!is_step) return nullptr;
    Value* from = nullptr;
    for (Value* operand : step->operands()) {
      if (!differs(*operand)) continue;
      if (from || operand->getType() != step->getType()) return nullptr;
      from = operand;
    }
    return from;
  }

  // Returns the value from which steps lead to this one; null while that is not known.
  Value* start_of(Value* value) const {
    while (true) {
      if (auto known = starts_.find(value); known != starts_.end()) return known->second;
      Value* from = stepped(value);
      if (!from) return value;
      value = from;
    }
  }

  // The one start that all values of the phi have; null if there are several.
  Value* common_start(const PHINode& phi) const {
    Value* common = nullptr;
    for (Value* incoming : phi.incoming_values()) {
      Value* start = start_of(incoming);
      if (!start || start == &phi) continue;
      if (common && common != start) return nullptr;
      common = start;
    }
    return common && differs(*common) ? common : nullptr;
  }

  // All phis are steps from elsewhere until they turn out to be starts.
  void find_starts() {
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (PHINode* phi : phis_)
        if (!is_start_.contains(phi)) starts_[phi] = nullptr;
      for (bool changed = true; changed;) {
        changed = false;
        for (PHINode* phi : phis_) {
          if (is_start_.contains(phi)) continue;
          Value* start = known_start(*phi);
          if (!start || starts_[phi] == start) continue;
          if (starts_[phi] || start == phi) {
            is_start_.insert(phi);
            start = phi;
            is_done = false;
          }
          starts_[phi] = start;
          changed = true;
        }
      }
    }
  }

  // The phi itself where its values have several starts; null where none is known yet.
  Value* known_start(PHINode& phi) const {
    const bool is_unknown = llvm::all_of(phi.incoming_values(), [&](Value* incoming) {
      Value* start = start_of(incoming);
      return !start || start == &phi;
    });
    if (is_unknown) return nullptr;
    Value* start = common_start(phi);
    return start ? start : &phi;
  }

  bool crosses(PHINode& phi) const {
    return !crossings_of_value(phi, cuts_).empty() ||
           llvm::any_of(phi.incoming_values(), [&](Value* incoming) {
             auto* step = llvm::dyn_cast<Instruction>(incoming);
             return step && stepped(step) && !crossings_of_value(*step, cuts_).empty();
           });
  }

  llvm::Type* offset_type(const Value& value) const {
    return value.getType()->isPointerTy() ? layout_.getIndexType(value.getType()) : value.getType();
  }

  void add_offset(PHINode& phi) {
    llvm::IRBuilder<> builder(&phi);
    offsets_[&phi] =
        builder.CreatePHI(offset_type(phi), phi.getNumIncomingValues(), phi.getName() + ".steps");
  }

  // How far the value is from its start.
  Value* offset_of(Value* value) {
    if (Value* known = offsets_.lookup(value)) return known;
    Value* from = stepped(value);
    if (!from || start_of(value) == value)
      return llvm::ConstantInt::getNullValue(offset_type(*value));
    Value* before = offset_of(from);
    auto* step = llvm::cast<Instruction>(value);
    llvm::IRBuilder<> builder(step);
    Value* distance = nullptr;
    if (llvm::isa<llvm::GetElementPtrInst>(step))
      distance = llvm::emitGEPOffset(&builder, layout_, step, /*NoAssumptions=*/true);
    else
      distance = step->getOperand(step->getOperand(0) == from ? 1 : 0);
    return offsets_[value] = builder.CreateAdd(before, distance);
  }

  void fill_offset(PHINode& phi) {
    auto* offset = llvm::cast<PHINode>(offsets_.lookup(&phi));
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      offset->addIncoming(offset_of(phi.getIncomingValue(i)), phi.getIncomingBlock(i));
  }

  void replace(PHINode& phi) {
    llvm::IRBuilder<> builder(phi.getParent(), phi.getParent()->getFirstInsertionPt());
    Value* start = starts_.lookup(&phi);
    Value* offset = offsets_.lookup(&phi);
    Value* value = phi.getType()->isPointerTy() ? builder.CreatePtrAdd(start, offset)
                                                : builder.CreateAdd(start, offset);
    value->takeName(&phi);
    phi.replaceAllUsesWith(value);
    phi.eraseFromParent();
  }

  const llvm::DataLayout& layout_;
  const BarrierCuts& cuts_;
  const GroupUniformity& uniformity_;
  llvm::SetVector<PHINode*> phis_;  // that differ, and steps may lead to
  llvm::SmallPtrSet<const PHINode*, 16> is_start_;
  llvm::DenseMap<Value*, Value*> starts_;  // of phis
  llvm::DenseMap<Value*, Value*> offsets_;
};

}  // namespace

bool take_out_uniform_steps(llvm::Function& kernel, const BarrierCuts& cuts,
                            llvm::FunctionAnalysisManager& analyses) {
  if (cuts.empty() || !tuning().uniform_steps) return false;
  return StepSplitter(kernel, cuts, analyses.getResult<GroupUniformityAnalysis>(kernel)).run();
}

}  // namespace conclave::compiler
