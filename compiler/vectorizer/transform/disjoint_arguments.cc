// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/disjoint_arguments.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/base/address_spaces.h"
#include "compiler/base/attributes.h"
#include "compiler/base/region.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/shapes.h"
#include "compiler/vectorizer/transform/block_copies.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

using llvm::Instruction;
using llvm::Loop;

bool is_global(const llvm::Value& pointer) {
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  return space == kGlobalAddressSpace || space == kConstantAddressSpace;
}

// The kernel's argument that a load or store goes through to global memory; null if it is unknown.
const llvm::Argument* argument_of(const Instruction& access) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  if (!pointer || !is_global(*pointer)) return nullptr;
  auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer));
  return argument && argument->getArgNo() >= kKernelArguments && is_global(*argument) ? argument
                                                                                      : nullptr;
}

class DisjointVersions {
 public:
  DisjointVersions(llvm::Function& region, unsigned lanes, llvm::FunctionAnalysisManager& analyses)
      : region_(region), lanes_(lanes), analyses_(analyses) {}

  void add() {
    if (!is_region(region_) || !gains_somewhere()) return;
    llvm::FunctionPassManager preparation;
    preparation.addPass(llvm::LoopSimplifyPass());
    preparation.addPass(llvm::LCSSAPass());
    preparation.run(region_, analyses_);
    analyses_.invalidate(region_, llvm::PreservedAnalyses::none());
    llvm::SmallVector<Loop*> chosen;
    for (Loop* loop : get<llvm::LoopAnalysis>()) choose(*loop, chosen);
    if (chosen.empty()) return;
    for (Loop* loop : chosen) add_version(*loop);
    region_.addFnAttr(kAsksIfDisjoint);
  }

 private:
  template <typename Analysis>
  typename Analysis::Result& get() {
    return analyses_.getResult<Analysis>(region_);
  }

  bool gains_somewhere() {
    return llvm::any_of(get<llvm::LoopAnalysis>().getLoopsInPreorder(),
                        [&](const Loop* loop) { return gains(*loop); });
  }

  // The outermost loops that are not too large and have, or are, a loop that gains.
  void choose(Loop& loop, llvm::SmallVectorImpl<Loop*>& chosen) {
    const bool gain =
        llvm::any_of(loop.getLoopsInPreorder(), [&](const Loop* inner) { return gains(*inner); });
    if (!gain) return;
    size_t instructions = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) instructions += block->size();
    if (instructions > tuning().disjoint_instructions || !loop.isLoopSimplifyForm())
      for (Loop* inner : loop) choose(*inner, chosen);
    else
      chosen.push_back(&loop);
  }

  // Whether the loop has a store, in each iteration, to one place, that stays there only because of
  // accesses through other arguments, and is dear: a scatter.
  bool gains(const Loop& loop) {
    for (llvm::BasicBlock* block : loop.blocks())
      for (Instruction& instruction : *block)
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
          if (is_kept_by_others(*store, loop)) return true;
    return false;
  }

  bool is_kept_by_others(llvm::StoreInst& store, const Loop& loop) {
    const llvm::Argument* own = argument_of(store);
    auto& evolution = get<llvm::ScalarEvolutionAnalysis>();
    const llvm::SCEV* place = own ? evolution.getSCEV(store.getPointerOperand()) : nullptr;
    if (!own || !store.isSimple() ||
        !get<ShapesAnalysis>().along_lanes(lanes_).are_lanes_far(store.getPointerOperand()) ||
        !evolution.isLoopInvariant(place, &loop) || !loop.getLoopLatch() ||
        !get<llvm::DominatorTreeAnalysis>().dominates(store.getParent(), loop.getLoopLatch()))
      return false;
    bool is_kept = false;
    for (llvm::BasicBlock* block : loop.blocks())
      for (Instruction& other : *block) {
        if (!other.mayReadOrWriteMemory() || !may_meet(other, store)) continue;
        const llvm::Argument* argument = argument_of(other);
        if (!argument) return false;
        if (argument != own)
          is_kept = true;
        else if (evolution.getSCEV(llvm::getLoadStorePointerOperand(&other)) != place)
          return false;
      }
    return is_kept;
  }

  // Whether in some iterations an instruction may access what a store writes.
  bool may_meet(Instruction& other, llvm::StoreInst& store) {
    auto& aliases = get<llvm::AAManager>();
    const auto place = llvm::MemoryLocation::get(&store);
    if (!llvm::getLoadStorePointerOperand(&other))
      return llvm::isModOrRefSet(aliases.getModRefInfo(&other, place));
    return !aliases.isNoAlias(llvm::MemoryLocation::get(&other).getWithNewSize(
                                  llvm::LocationSize::beforeOrAfterPointer()),
                              place);
  }

  void add_version(Loop& loop) {
    llvm::ValueToValueMapTy map;
    copy_blocks(loop.getBlocks(), ".else", map);
    Instruction* end = loop.getLoopPreheader()->getTerminator();
    llvm::IRBuilder<> builder(end);
    auto* other = llvm::cast<llvm::BasicBlock>(map.lookup(loop.getHeader()));
    builder.CreateCondBr(is_fact(builder, abi::kIsDisjoint), loop.getHeader(), other);
    end->eraseFromParent();
    for (llvm::BasicBlock* block : loop.blocks())
      for (Instruction& access : *block)
        if (const llvm::Argument* argument = argument_of(access)) say_disjoint(access, *argument);
  }

  llvm::MDNode* scope_of(const llvm::Argument& argument) {
    llvm::MDBuilder builder(region_.getContext());
    if (!domain_) domain_ = builder.createAnonymousAliasScopeDomain("arguments");
    llvm::MDNode*& scope = scopes_[&argument];
    if (!scope) scope = builder.createAnonymousAliasScope(domain_, argument.getName());
    return scope;
  }

  static void extend(Instruction& access, unsigned kind, llvm::ArrayRef<llvm::Metadata*> scopes) {
    llvm::MDNode* more = llvm::MDNode::get(access.getContext(), scopes);
    access.setMetadata(kind, llvm::MDNode::concatenate(access.getMetadata(kind), more));
  }

  void say_disjoint(Instruction& access, const llvm::Argument& own) {
    llvm::SmallVector<llvm::Metadata*> others;
    for (const llvm::Argument& argument : llvm::drop_begin(region_.args(), kKernelArguments))
      if (&argument != &own && argument.getType()->isPointerTy() && is_global(argument))
        others.push_back(scope_of(argument));
    extend(access, llvm::LLVMContext::MD_alias_scope, {scope_of(own)});
    if (!others.empty()) extend(access, llvm::LLVMContext::MD_noalias, others);
  }

  llvm::Function& region_;
  unsigned lanes_;
  llvm::FunctionAnalysisManager& analyses_;
  llvm::MDNode* domain_ = nullptr;
  llvm::DenseMap<const llvm::Argument*, llvm::MDNode*> scopes_;
};

}  // namespace

llvm::PreservedAnalyses AddDisjointVersions::run(llvm::Function& region,
                                                 llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    DisjointVersions(region, lanes, analyses).add();
  });
}

}  // namespace conclave::compiler
