// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/segments.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Whether it may be calculated before `first`, in whose block it is, or is known there already.
bool can_precede(Value* value, Instruction* first, llvm::SmallPtrSetImpl<Instruction*>& needed) {
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != first->getParent()) return true;
  if (instruction->comesBefore(first) || needed.contains(instruction)) return true;
  if (instruction->mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(instruction) ||
      !llvm::isSafeToSpeculativelyExecute(instruction))
    return false;
  needed.insert(instruction);
  return llvm::all_of(instruction->operands(), [&](const llvm::Use& operand) {
    return can_precede(operand, first, needed);
  });
}

void move_before(Value* value, Instruction* first) {
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != first->getParent() ||
      instruction->comesBefore(first))
    return;
  for (const llvm::Use& operand : instruction->operands()) move_before(operand, first);
  instruction->moveBefore(first);
}

// Whether other work-items may see the instruction's effect, or it is too much code to have twice.
bool ends_segment(const Instruction& instruction) {
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction))
    return !llvm::isa<llvm::StoreInst>(instruction) && instruction.isAtomic();
  if (instruction.mayReadOrWriteMemory()) return true;
  return llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction);
}

// Shadow memory cannot know beforehand about a value that the segment itself writes and then reads.
bool reads_what_is_written(const CheckedAccess& access, const Segment& segment) {
  return !access.is_write() && llvm::any_of(segment, [&](const CheckedAccess& before) {
    return before.is_write() && before.object == access.object;
  });
}

bool has_end_between(const Instruction* first, const Instruction* last) {
  for (; first != last; first = first->getNextNode())
    if (ends_segment(*first)) return true;
  return false;
}

}  // namespace

std::vector<Segment> find_segments(const std::vector<CheckedAccess>& accesses) {
  std::vector<Segment> segments;
  for (const CheckedAccess& access : accesses) {
    const bool may_join = [&] {
      if (segments.empty() || reads_what_is_written(access, segments.back())) return false;
      Instruction* first = segments.back().front().instruction;
      if (has_end_between(first, access.instruction)) return false;
      llvm::SmallPtrSet<Instruction*, 16> needed;
      return can_precede(access.pointer(), first, needed);
    }();
    if (may_join)
      move_before(access.pointer(), segments.back().front().instruction);
    else
      segments.emplace_back();
    segments.back().push_back(access);
  }
  return segments;
}

TwoVersions make_two_versions(const Segment& segment) {
  Instruction* first = segment.front().instruction;
  BasicBlock* before = first->getParent();
  BasicBlock* quick = before->splitBasicBlock(first, "check.quick");
  BasicBlock* behind =
      quick->splitBasicBlock(segment.back().instruction->getNextNode(), "check.behind");
  before->getTerminator()->eraseFromParent();

  llvm::ValueToValueMapTy map;
  BasicBlock* slow = llvm::CloneBasicBlock(quick, map, ".slow", quick->getParent());
  slow->moveAfter(quick);
  llvm::remapInstructionsInBlocks({slow}, map);
  for (Instruction& instruction : *quick) {
    llvm::SmallVector<llvm::Use*> outside;
    for (llvm::Use& use : instruction.uses())
      if (llvm::cast<Instruction>(use.getUser())->getParent() != quick) outside.push_back(&use);
    if (outside.empty()) continue;
    auto* phi = llvm::PHINode::Create(instruction.getType(), 2, "", behind->begin());
    phi->addIncoming(&instruction, quick);
    phi->addIncoming(map[&instruction], slow);
    for (llvm::Use* use : outside) use->set(phi);
  }
  TwoVersions versions{before, quick, slow, behind, {}};
  for (const CheckedAccess& access : segment)
    versions.slow_accesses.push_back(llvm::cast<Instruction>(map[access.instruction]));
  return versions;
}

}  // namespace conclave::compiler
