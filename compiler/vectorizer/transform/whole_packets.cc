// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/whole_packets.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <optional>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/uniformity.h"
#include "compiler/vectorizer/transform/block_copies.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

// All that is analysed of a function, anew whenever it has changed.
struct Analyses {
  Analyses(Function& function, llvm::FunctionAnalysisManager& analyses)
      : uniformity(analyses.getResult<UniformityAnalysis>(function)),
        dominators(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        post_dominators(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        loops(analyses.getResult<llvm::LoopAnalysis>(function)) {}

  const Uniformity& uniformity;
  const llvm::DominatorTree& dominators;
  const llvm::PostDominatorTree& post_dominators;
  const llvm::LoopInfo& loops;
};

bool is_arithmetic(const Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::SelectInst,
                   llvm::FreezeInst>(instruction) &&
         !instruction.getType()->isVectorTy();
}

// Whether lanes differ in the value by their ids only: such conditions change once or twice in a
// row of work-items, and not from one to the next.
bool depends_on_ids_only(const Value& value, const LaneIds& ids, const Uniformity& uniformity,
                         unsigned depth = 0) {
  if (!uniformity.is_divergent(value) || llvm::is_contained(ids.consecutive, &value)) return true;
  auto* instruction = llvm::dyn_cast<Instruction>(&value);
  return instruction && depth < tuning().whole_packet_depth && is_arithmetic(*instruction) &&
         llvm::all_of(
             instruction->operands(),
             [&](const llvm::Use& operand) {
               return depends_on_ids_only(*operand, ids, uniformity, depth + 1);
             });
}

// One side of a guard.
struct GuardedCode {
  BranchInst* guard;
  unsigned side;  // the successor
  llvm::SmallSetVector<BasicBlock*, 8> blocks;
};

unsigned size_of(const GuardedCode& code) {
  unsigned size = 0;
  for (const BasicBlock* block : code.blocks) size += block->sizeWithoutDebug();
  return size;
}

// Memory is what masks make dear.
bool accesses_memory(const GuardedCode& code) {
  return llvm::any_of(code.blocks, [](const BasicBlock* block) {
    return llvm::any_of(*block, [](const Instruction& i) { return i.mayReadOrWriteMemory(); });
  });
}

std::optional<GuardedCode> find_guarded_code(BranchInst& guard, unsigned side,
                                             const Analyses& analyses) {
  BasicBlock* first = guard.getSuccessor(side);
  if (!first->getSinglePredecessor()) return std::nullopt;
  GuardedCode code = {&guard, side, {}};
  llvm::SmallVector<BasicBlock*> blocks;
  analyses.dominators.getDescendants(first, blocks);
  code.blocks.insert(blocks.begin(), blocks.end());
  // The function ends in one block, and a loop has one latch.
  for (const BasicBlock* block : code.blocks) {
    if (llvm::succ_empty(block)) return std::nullopt;
    const llvm::Loop* loop = analyses.loops.getLoopFor(guard.getParent());
    for (; loop; loop = loop->getParentLoop())
      if (loop->isLoopLatch(block)) return std::nullopt;
  }
  if (!accesses_memory(code)) return std::nullopt;
  return code;
}

void add_version(const GuardedCode& code) {
  BasicBlock* before = code.guard->getParent();
  llvm::ValueToValueMapTy map;
  copy_blocks(code.blocks.getArrayRef(), ".whole", map);
  auto* whole = llvm::cast<BasicBlock>(map.lookup(code.blocks.front()));
  BasicBlock* mixed = before->splitBasicBlock(code.guard, before->getName() + ".mixed");
  before->getTerminator()->eraseFromParent();
  for (llvm::PHINode& phi : whole->phis()) phi.replaceIncomingBlockWith(mixed, before);

  llvm::IRBuilder<> builder(before);
  Value* off = code.guard->getCondition();
  if (code.side == 0) off = builder.CreateNot(off);
  builder.CreateCondBr(create_any(builder, off), mixed, whole);
}

using Guards = llvm::SmallPtrSet<const BranchInst*, 8>;

// The larger side of a guard, if it is worth a second version.
std::optional<GuardedCode> larger_side(BranchInst& guard, const Analyses& analyses,
                                       unsigned max_size) {
  std::optional<GuardedCode> larger;
  for (unsigned side : {0U, 1U}) {
    auto code = find_guarded_code(guard, side, analyses);
    if (!code || size_of(*code) > max_size) continue;
    if (!larger || size_of(*larger) < size_of(*code)) larger = std::move(code);
  }
  return larger;
}

// Looks for a guard that is not yet one of `done` at the places that all lanes come to.
std::optional<GuardedCode> find_guard(Function& function, const LaneIds& ids, const Guards& done,
                                      const Analyses& analyses, unsigned max_size) {
  llvm::SmallSetVector<BasicBlock*, 16> reached;
  reached.insert(&function.getEntryBlock());
  for (size_t i = 0; i < reached.size(); ++i) {
    BasicBlock* block = reached[i];
    if (!analyses.uniformity.has_divergent_branch(*block)) {
      reached.insert(llvm::succ_begin(block), llvm::succ_end(block));
      continue;
    }
    auto* post_dominator = analyses.post_dominators.getNode(block)->getIDom();
    if (post_dominator && post_dominator->getBlock()) reached.insert(post_dominator->getBlock());
    auto* guard = llvm::dyn_cast<BranchInst>(block->getTerminator());
    if (!guard || done.contains(guard) ||
        !depends_on_ids_only(*guard->getCondition(), ids, analyses.uniformity))
      continue;
    if (auto code = larger_side(*guard, analyses, max_size)) return code;
  }
  return std::nullopt;
}

void add_whole_packet_versions(Function& region, const LaneIds& ids,
                               llvm::FunctionAnalysisManager& analyses) {
  // So that the region at most doubles.
  unsigned left = region.getInstructionCount();
  Guards done;
  while (true) {
    auto code = find_guard(region, ids, done, Analyses(region, analyses), left);
    if (!code) return;
    done.insert(code->guard);
    left -= std::min(left, size_of(*code));
    add_version(*code);
    analyses.invalidate(region, llvm::PreservedAnalyses::none());
  }
}

}  // namespace

llvm::PreservedAnalyses AddWholePacketVersions::run(llvm::Function& region,
                                                    llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto& ids, PartRemarks&) {
    add_whole_packet_versions(region, ids.lanes, analyses);
  });
}

}  // namespace conclave::compiler
