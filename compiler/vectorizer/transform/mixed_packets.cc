// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/mixed_packets.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include "compiler/base/attributes.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_operations.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/remarks.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Instruction;

// The branches at the ends of blocks that only packets come to whose lanes differ.
llvm::SmallVector<BranchInst*> find_guards(llvm::Function& region) {
  llvm::SmallVector<BranchInst*> guards;
  for (BasicBlock& block : region) {
    auto* vote = llvm::dyn_cast<BranchInst>(block.getTerminator());
    if (!vote || !vote->isConditional()) continue;
    auto* condition = llvm::dyn_cast<Instruction>(vote->getCondition());
    if (!condition || !is_any(*condition)) continue;
    auto* guard = llvm::dyn_cast<BranchInst>(vote->getSuccessor(0)->getTerminator());
    if (guard && guard->isConditional()) guards.push_back(guard);
  }
  return guards;
}

// Whether a masked access of all lanes would be one of each.
bool is_dear(const Instruction& instruction, unsigned lanes,
             const llvm::TargetTransformInfo& target) {
  if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return false;
  llvm::Type* type =
      llvm::getLoadStoreType(const_cast<Instruction*>(&instruction))->getScalarType();
  if (!llvm::VectorType::isValidElementType(type)) return false;
  const llvm::Align align = llvm::getLoadStoreAlignment(const_cast<Instruction*>(&instruction));
  auto* packet = llvm::FixedVectorType::get(type, lanes);
  return llvm::isa<llvm::LoadInst>(instruction) ? !target.isLegalMaskedLoad(packet, align)
                                                : !target.isLegalMaskedStore(packet, align);
}

bool concerns_lanes(const Instruction& instruction) {
  return is_any(instruction) || is_outside(instruction) || is_lanes(instruction) ||
         lane_operation(instruction).kind != LaneOperation::kNone;
}

// Whether the blocks, which one of them is entered at, can be a function without result.
bool is_function(llvm::ArrayRef<BasicBlock*> blocks) {
  const llvm::SmallPtrSet<const BasicBlock*, 8> own(blocks.begin(), blocks.end());
  const BasicBlock* behind = nullptr;
  for (const BasicBlock* block : blocks) {
    for (const BasicBlock* next : llvm::successors(block)) {
      if (own.contains(next)) continue;
      if ((behind && next != behind) || !next->phis().empty()) return false;
      behind = next;
    }
    for (const Instruction& instruction : *block) {
      if (concerns_lanes(instruction)) return false;
      for (const llvm::User* user : instruction.users())
        if (!own.contains(llvm::cast<Instruction>(user)->getParent())) return false;
    }
  }
  return behind != nullptr;
}

bool is_worth_it(llvm::ArrayRef<BasicBlock*> blocks, unsigned lanes,
                 const llvm::TargetTransformInfo& target) {
  return llvm::any_of(blocks, [&](const BasicBlock* block) {
    return llvm::any_of(*block,
                        [&](const Instruction& access) { return is_dear(access, lanes, target); });
  });
}

void outline(llvm::ArrayRef<BasicBlock*> blocks, const BranchInst& guard) {
  llvm::Function& region = *blocks.front()->getParent();
  llvm::CodeExtractor extractor(blocks, nullptr, false, nullptr, nullptr, nullptr, false, false,
                                nullptr, "mixed");
  if (!extractor.isEligible()) return;
  llvm::Function* function = extractor.extractCodeRegion(llvm::CodeExtractorAnalysisCache(region));
  if (!function) return;
  function->removeFnAttr(llvm::Attribute::AlwaysInline);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->addFnAttr(kMixedPacket);
  function->removeFnAttr(kRegionAttribute);
  function->removeFnAttr(kLanesAttribute);
  llvm::cast<llvm::CallInst>(function->user_back())->setDebugLoc(guard.getDebugLoc());
}

void outline_mixed_packets(llvm::Function& region, unsigned lanes,
                           const llvm::TargetTransformInfo& target) {
  // The variables of lanes are beside each other; a function of one lane would not know.
  if (llvm::any_of(llvm::instructions(region), llvm::IsaPred<llvm::AllocaInst>)) return;
  for (BranchInst* guard : find_guards(region)) {
    for (BasicBlock* side : llvm::to_vector(llvm::successors(guard->getParent()))) {
      if (!side->getSinglePredecessor()) continue;
      llvm::SmallVector<BasicBlock*> blocks;
      llvm::DominatorTree(region).getDescendants(side, blocks);
      if (is_function(blocks) && is_worth_it(blocks, lanes, target)) outline(blocks, *guard);
    }
  }
}

}  // namespace

llvm::PreservedAnalyses OutlineMixedPackets::run(llvm::Function& region,
                                                 llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    outline_mixed_packets(region, lanes, costs.run(region, analyses));
  });
}

}  // namespace conclave::compiler
