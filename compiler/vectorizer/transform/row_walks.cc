// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/row_walks.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopVersioning.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "compiler/base/target_model.h"
#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/shapes.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {
namespace {

using llvm::LoadInst;
using llvm::Loop;

using Walks = std::vector<LoadInst*>;

int64_t bytes_of(const llvm::Type* type) {
  return type->getPrimitiveSizeInBits() / 8;
}

class RowWalks {
 public:
  RowWalks(llvm::Function& region, unsigned lanes, llvm::FunctionAnalysisManager& analyses)
      : region_(region), lanes_(lanes), analyses_(analyses) {}

  // Gives each loop that may have walks, in loop-simplify and LCSSA form and of one block, to `transform`.
  template <typename Transform>
  void for_each_loop(Transform transform) {
    if (find_loops().empty()) return;
    llvm::FunctionPassManager preparation;
    preparation.addPass(llvm::LoopSimplifyPass());
    preparation.addPass(llvm::LCSSAPass());
    preparation.run(region_, analyses_);
    analyses_.invalidate(region_, llvm::PreservedAnalyses::none());
    for (Loop* loop : find_loops()) rotate(*loop);
    analyses_.invalidate(region_, llvm::PreservedAnalyses::none());
    for (Loop* loop : find_loops())
      if (loop->getNumBlocks() == 1 && loop->getLoopPreheader()) transform(*loop);
  }

  // The loads of a loop that go from one element of a row to the next.
  Walks find_walks(const Loop& loop) {
    Walks walks;
    for (llvm::BasicBlock* block : loop.blocks())
      for (llvm::Instruction& instruction : *block)
        if (auto* load = llvm::dyn_cast<LoadInst>(&instruction))
          if (steps_by_element(*load, loop)) walks.push_back(load);
    return walks;
  }

  // Whether nothing in the loop may write where the loads read in other iterations.
  bool are_undisturbed(const Loop& loop, const Walks& walks) {
    auto& aliases = get<llvm::AAManager>();
    for (llvm::BasicBlock* block : loop.blocks())
      for (llvm::Instruction& instruction : *block) {
        if (!instruction.mayWriteToMemory()) continue;
        for (const LoadInst* load : walks)
          if (may_write(aliases, instruction, *load)) return false;
      }
    return true;
  }

  template <typename Analysis>
  typename Analysis::Result& get() {
    return analyses_.getResult<Analysis>(region_);
  }

 private:
  // Innermost loops that all lanes leave together, after every iteration but the last.
  std::vector<Loop*> find_loops() {
    const Uniformity& uniformity = get<UniformityAnalysis>();
    const Shapes& shapes = get<ShapesAnalysis>().along_lanes(lanes_);
    std::vector<Loop*> loops;
    for (Loop* loop : get<llvm::LoopAnalysis>().getLoopsInPreorder()) {
      llvm::BasicBlock* exiting = loop->getExitingBlock();
      if (!loop->isInnermost() || loop->getNumBlocks() > 2 || !loop->getLoopLatch() || !exiting ||
          uniformity.has_divergent_branch(*exiting))
        continue;
      if (has_far_lanes(*loop, shapes)) loops.push_back(loop);
    }
    return loops;
  }

  // Whether a load's lanes are at unknown places, or lines apart, and an index counts the iterations.
  bool has_far_lanes(const Loop& loop, const Shapes& shapes) {
    for (llvm::BasicBlock* block : loop.blocks())
      for (llvm::Instruction& instruction : *block)
        if (auto* load = llvm::dyn_cast<LoadInst>(&instruction))
          if (shapes.are_lanes_far(load->getPointerOperand()) && may_walk(*load, loop)) return true;
    return false;
  }

  // An index of 32 bits is known not to wrap around only once the loop is rotated.
  bool may_walk(const LoadInst& load, const Loop& loop) {
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(load.getPointerOperand());
    if (!address || is_private(load)) return false;
    llvm::Value* index = address->getOperand(address->getNumOperands() - 1);
    if (auto* extension = llvm::dyn_cast<llvm::CastInst>(index)) index = extension->getOperand(0);
    auto* count =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(get<llvm::ScalarEvolutionAnalysis>().getSCEV(index));
    return count && count->getLoop() == &loop;
  }

  // Private arrays of a packet are interleaved.
  static bool is_private(const LoadInst& load) {
    return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load.getPointerOperand()));
  }

  bool steps_by_element(LoadInst& load, const Loop& loop) {
    llvm::Type* type = load.getType();
    if (is_private(load)) return false;
    if (!load.isSimple() || (!type->isIntegerTy() && !type->isFloatingPointTy())) return false;
    const int64_t bytes = bytes_of(type);
    if (bytes * 8 != static_cast<int64_t>(type->getPrimitiveSizeInBits()) || bytes > 8 ||
        !llvm::isPowerOf2_64(static_cast<uint64_t>(bytes)))
      return false;
    auto& evolution = get<llvm::ScalarEvolutionAnalysis>();
    auto* address =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
    if (!address || address->getLoop() != &loop || !address->isAffine()) return false;
    auto* step = llvm::dyn_cast<llvm::SCEVConstant>(address->getStepRecurrence(evolution));
    return step && step->getAPInt() == bytes;
  }

  static bool may_write(llvm::AAResults& aliases, const llvm::Instruction& writer,
                        const LoadInst& load) {
    const auto row =
        llvm::MemoryLocation::get(&load).getWithNewSize(llvm::LocationSize::beforeOrAfterPointer());
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&writer); store && store->isUnordered())
      return !aliases.isNoAlias(row, llvm::MemoryLocation::get(store).getWithNewSize(
                                         llvm::LocationSize::beforeOrAfterPointer()));
    return llvm::isModSet(aliases.getModRefInfo(&writer, row));
  }

  void rotate(Loop& loop) {
    if (loop.getNumBlocks() == 1) return;
    const llvm::SimplifyQuery query(region_.getDataLayout());
    llvm::LoopRotation(&loop, &get<llvm::LoopAnalysis>(), &get<llvm::TargetIRAnalysis>(),
                       &get<llvm::AssumptionAnalysis>(), &get<llvm::DominatorTreeAnalysis>(),
                       &get<llvm::ScalarEvolutionAnalysis>(), nullptr, query,
                       /*RotationOnly=*/false, /*Threshold=*/16, /*IsUtilMode=*/false);
  }

  llvm::Function& region_;
  unsigned lanes_;
  llvm::FunctionAnalysisManager& analyses_;
};

// Lets all lanes take the version that is right for each of them.
void take_one_version(const Loop& versioned) {
  llvm::BasicBlock* check = versioned.getLoopPreheader()->getSinglePredecessor();
  auto* branch = llvm::cast<llvm::BranchInst>(check->getTerminator());
  llvm::IRBuilder<> builder(branch);
  branch->setCondition(create_any(builder, branch->getCondition()));
}

void add_alias_checks(RowWalks& walks, Loop& loop) {
  const Walks loads = walks.find_walks(loop);
  if (loads.empty() || walks.are_undisturbed(loop, loads)) return;
  const llvm::LoopAccessInfo& accesses = walks.get<llvm::LoopAccessAnalysis>().getInfo(loop);
  const auto& checks = accesses.getRuntimePointerChecking()->getChecks();
  if (checks.empty() || checks.size() > tuning().alias_checks ||
      !accesses.getPSE().getPredicate().isAlwaysTrue())
    return;
  llvm::LoopVersioning versions(accesses, checks, &loop, &walks.get<llvm::LoopAnalysis>(),
                                &walks.get<llvm::DominatorTreeAnalysis>(),
                                &walks.get<llvm::ScalarEvolutionAnalysis>());
  versions.versionLoop();
  versions.annotateLoopWithNoAlias();
  take_one_version(loop);
}

// Marks a walk's loads in all iterations.
constexpr char kWalk[] = "conclave.walk";

// Replaces the loads of one row's elements, in the order of the iterations, by one of all of them.
void join_loads(llvm::ArrayRef<LoadInst*> elements) {
  LoadInst& first = *elements.front();
  llvm::IRBuilder<> builder(&first);
  auto* type = llvm::FixedVectorType::get(first.getType(), static_cast<unsigned>(elements.size()));
  LoadInst* row = builder.CreateAlignedLoad(type, first.getPointerOperand(), first.getAlign());
  row->copyMetadata(first, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
  for (const auto& [i, element] : llvm::enumerate(elements))
    element->replaceAllUsesWith(builder.CreateExtractElement(row, i));
  for (LoadInst* element : elements) element->eraseFromParent();
}

// Joins the loads of a block that was a loop's body and now contains that body `count` times.
void join_iterations(llvm::BasicBlock& body, unsigned count) {
  llvm::MapVector<const llvm::MDNode*, std::vector<LoadInst*>> rows;
  for (llvm::Instruction& instruction : body)
    if (const llvm::MDNode* walk = instruction.getMetadata(kWalk))
      rows[walk].push_back(llvm::cast<LoadInst>(&instruction));
  for (const auto& [walk, elements] : rows)
    if (elements.size() == count) join_loads(elements);
}

void load_lines(RowWalks& walks, Loop& loop) {
  const Walks loads = walks.find_walks(loop);
  if (loads.empty() || !walks.are_undisturbed(loop, loads)) return;
  unsigned count = tuning().row_walk_elements;
  for (const LoadInst* load : loads)
    count =
        std::min(count, static_cast<unsigned>(TargetModel::kLineBytes / bytes_of(load->getType())));
  auto& evolution = walks.get<llvm::ScalarEvolutionAnalysis>();
  const unsigned most = evolution.getSmallConstantMaxTripCount(&loop);
  if (count < 2 || (most != 0 && most < count) ||
      count * loop.getHeader()->size() > tuning().row_walk_instructions)
    return;
  llvm::LLVMContext& context = loop.getHeader()->getContext();
  for (LoadInst* load : loads) load->setMetadata(kWalk, llvm::MDNode::getDistinct(context, {}));
  llvm::BasicBlock& body = *loop.getHeader();
  llvm::UnrollLoopOptions options{};
  options.Count = count;
  options.Force = true;
  options.Runtime = true;
  options.AllowExpensiveTripCount = true;
  options.ForgetAllSCEV = true;
  const llvm::LoopUnrollResult result = llvm::UnrollLoop(
      &loop, options, &walks.get<llvm::LoopAnalysis>(), &evolution,
      &walks.get<llvm::DominatorTreeAnalysis>(), &walks.get<llvm::AssumptionAnalysis>(),
      &walks.get<llvm::TargetIRAnalysis>(), &walks.get<llvm::OptimizationRemarkEmitterAnalysis>(),
      /*PreserveLCSSA=*/true);
  if (result != llvm::LoopUnrollResult::Unmodified) join_iterations(body, count);
  for (llvm::Instruction& instruction : llvm::instructions(*body.getParent()))
    instruction.setMetadata(kWalk, nullptr);
}

}  // namespace

llvm::PreservedAnalyses AddAliasChecks::run(llvm::Function& region,
                                            llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    RowWalks walks(region, lanes, analyses);
    walks.for_each_loop([&](Loop& loop) { add_alias_checks(walks, loop); });
  });
}

llvm::PreservedAnalyses LoadRowWalks::run(llvm::Function& region,
                                          llvm::FunctionAnalysisManager& analyses) const {
  return transform_lanes(region, analyses, [&](const auto&, PartRemarks&) {
    RowWalks walks(region, lanes, analyses);
    walks.for_each_loop([&](Loop& loop) { load_lines(walks, loop); });
  });
}

}  // namespace conclave::compiler
