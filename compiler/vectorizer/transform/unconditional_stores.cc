// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/unconditional_stores.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/base/address_spaces.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/sampled_places.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

struct Place {
  Value* pointer;
  llvm::Type* type;
  llvm::LoadInst* content;  // null if something may have been stored there since
};

const Place* find_place(llvm::ArrayRef<Place> places, const llvm::StoreInst& store) {
  const auto* place = llvm::find_if(places, [&](const Place& one) {
    return one.pointer == store.getPointerOperand() &&
           one.type == store.getValueOperand()->getType();
  });
  return place == places.end() ? nullptr : place;
}

// Local memory that the end of a block has accessed, with nothing in between that other work-items
// might wait for; the last access first.
llvm::SmallVector<Place> places_at_end(BasicBlock& block, unsigned local_space) {
  llvm::SmallVector<Place> places;
  bool has_stores = false;
  for (Instruction& instruction : llvm::reverse(block)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const bool is_simple = (load && load->isSimple()) || (store && store->isSimple());
    if (!is_simple && (instruction.mayHaveSideEffects() || instruction.isAtomic())) break;
    has_stores |= store != nullptr;
    Value* pointer = is_simple ? llvm::getLoadStorePointerOperand(&instruction) : nullptr;
    if (pointer && pointer->getType()->getPointerAddressSpace() == local_space)
      places.push_back(
          {pointer, llvm::getLoadStoreType(&instruction), has_stores ? nullptr : load});
  }
  return places;
}

// Whether all lanes may do what the block does, once its stores keep what is there.
bool is_harmless(const BasicBlock& block, llvm::ArrayRef<Place> places) {
  if (block.sizeWithoutDebug() > tuning().unconditional_instructions + 1) return false;
  bool has_stores = false;
  for (const Instruction& instruction : block.instructionsWithoutDebug()) {
    if (instruction.isTerminator() || llvm::isSafeToSpeculativelyExecute(&instruction)) continue;
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || !store->isSimple() || !find_place(places, *store)) return false;
    has_stores = true;
  }
  return has_stores;
}

bool have_lanes_own_places(const BasicBlock& block, const SampledPlaces& sampled) {
  llvm::SmallVector<const Value*> pointers;
  for (const Instruction& instruction : block)
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      pointers.push_back(store->getPointerOperand());
  return sampled.are_disjoint(pointers);
}

Value* content_of(llvm::IRBuilder<>& builder, const llvm::StoreInst& store, const Place& place) {
  if (place.content) return place.content;
  llvm::LoadInst* load =
      builder.CreateAlignedLoad(place.type, place.pointer, store.getAlign(), "old");
  load->copyMetadata(store, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope,
                             llvm::LLVMContext::MD_noalias});
  return load;
}

// `block` is entered from `before` alone, which goes on to `end` otherwise, as the block does.
void enter_always(BasicBlock& before, BasicBlock& block, BasicBlock& end,
                  llvm::ArrayRef<Place> places) {
  auto& branch = *llvm::cast<llvm::BranchInst>(before.getTerminator());
  Value* condition = branch.getCondition();
  const bool is_taken_if_true = branch.getSuccessor(0) == &block;
  std::vector<llvm::StoreInst*> stores;
  for (Instruction& instruction : block)
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) stores.push_back(store);

  llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
  // All before the first store: then it does not matter which of them are to the same place.
  std::vector<Value*> contents;
  for (const llvm::StoreInst* store : stores)
    contents.push_back(content_of(builder, *store, *find_place(places, *store)));
  const auto choose = [&](Value* inside, Value* otherwise) {
    return is_taken_if_true ? builder.CreateSelect(condition, inside, otherwise)
                            : builder.CreateSelect(condition, otherwise, inside);
  };
  for (auto [store, content] : llvm::zip(stores, contents)) {
    builder.SetInsertPoint(store);
    store->setOperand(0, choose(store->getValueOperand(), content));
  }
  builder.SetInsertPoint(block.getTerminator());
  for (llvm::PHINode& phi : end.phis())
    phi.setIncomingValueForBlock(&block, choose(phi.getIncomingValueForBlock(&block),
                                                phi.getIncomingValueForBlock(&before)));
  end.removePredecessor(&before, /*KeepOneInputPHIs=*/true);
  builder.SetInsertPoint(&branch);
  builder.CreateBr(&block);
  branch.eraseFromParent();
}

void make_stores_unconditional(llvm::Function& region, const Uniformity& uniformity,
                               const SampledPlaces& sampled) {
  std::vector<BasicBlock*> divided;
  for (BasicBlock& block : region)
    if (uniformity.has_divergent_branch(block)) divided.push_back(&block);
  for (BasicBlock* before : divided) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (!branch || !branch->isConditional()) continue;
    for (unsigned i : {0, 1}) {
      BasicBlock* block = branch->getSuccessor(i);
      BasicBlock* end = branch->getSuccessor(1 - i);
      if (block == end || block->getSinglePredecessor() != before ||
          block->getSingleSuccessor() != end)
        continue;
      const llvm::SmallVector<Place> places = places_at_end(*before, kLocalAddressSpace);
      if (!is_harmless(*block, places) || !have_lanes_own_places(*block, sampled)) continue;
      enter_always(*before, *block, *end, places);
      break;
    }
  }
}

}  // namespace

llvm::PreservedAnalyses MakeStoresUnconditional::run(
    llvm::Function& region, llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto& ids, PartRemarks&) {
    const Uniformity& uniformity = analyses.getResult<UniformityAnalysis>(region);
    const SampledPlaces sampled(ids.lanes, uniformity, lanes, region.getParent()->getDataLayout());
    make_stores_unconditional(region, uniformity, sampled);
  });
}

}  // namespace conclave::compiler
