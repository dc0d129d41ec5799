// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/transform/linearize.h"

#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/base/tuning.h"
#include "compiler/vectorizer/analysis/divergent_flow.h"
#include "compiler/vectorizer/analysis/lane_masks.h"
#include "compiler/vectorizer/analysis/lane_pass.h"
#include "compiler/vectorizer/analysis/rare_blocks.h"
#include "compiler/vectorizer/analysis/uniformity.h"
#include "compiler/vectorizer/transform/slots.h"

namespace conclave::compiler {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::PHINode;
using llvm::Value;

// Lanes that do not run have no say in what is asked of all that do.
void restrict_to(Value* mask, llvm::CallInst& any) {
  IRBuilder<> builder(&any);
  Value* argument = any.getArgOperand(0);
  any.setArgOperand(0, builder.CreateSelect(mask, argument, builder.getFalse()));
}

// Where instructions go that are to come first in a block, but behind `active`.
BasicBlock::iterator begin_with(BasicBlock& block, Instruction* active) {
  bool is_entry = active && active->getParent() == &block;
  return is_entry ? std::next(active->getIterator()) : begin_of(block);
}

// A mask of nullptr means all lanes.
class Linearizer {
 public:
  Linearizer(Function& function, DivergentFlow& flow, const llvm::DominatorTree& dominators,
             const llvm::LoopInfo& loops, Instruction* active)
      : function_(function),
        flow_(flow),
        dominators_(dominators),
        loops_(loops),
        active_(active),
        slots_(function) {}

  bool run() {
    plan();
    for (BasicBlock* block : blocks_) replace_phis(*block);
    for (BasicBlock* block : blocks_) begin_block(*block);
    for (BasicBlock* block : blocks_) end_block(*block);
    for (Level& level : flow_.levels()) {
      for (Node* node : level.nodes) emit_entry(*node);
      if (level.masked) emit_loop_end(level);
    }
    for (PHINode* phi : replaced_) phi->eraseFromParent();
    slots_.mend_values(loops_);
    return slots_.promote();
  }

 private:
  // The code that is added for a level.
  struct LevelCode {
    AllocaInst* active = nullptr;  // lanes that are in the loop, where it is masked
    AllocaInst* next = nullptr;    // lanes that have come to its end
    BasicBlock* end = nullptr;
    llvm::MDNode* metadata = nullptr;
  };

  void plan();
  void plan_loop(Level& level);
  bool is_always_set(const Node& node) const;
  BasicBlock* add_block(const llvm::Twine& name, BasicBlock* before) {
    return BasicBlock::Create(function_.getContext(), name, &function_, before);
  }
  BasicBlock* begin(const Level& level) const {
    return level.loop ? level.loop->getHeader() : &function_.getEntryBlock();
  }

  // Whether an edge to `to`, arriving at `target`, is a back edge.
  bool is_next_iteration(const Node& target, const BasicBlock& to) const {
    return !target.loop && begin(*target.level) == &to;
  }

  bool keeps_branch(const Node& node) const { return !node.chain && !node.divergent; }
  bool keeps_edge(const BasicBlock& from, const BasicBlock& to) const;
  AllocaInst* mask_slot(const Node& node) const;
  AllocaInst* level_mask(const Level& level) const;
  Value* load_mask(IRBuilder<>& builder, const Node& node) const;

  BasicBlock* entry(const Node& node) const;
  BasicBlock* entry_or_end(const Node* node, const Level& level) const;
  BasicBlock* inside(const Node& node) const;
  BasicBlock* next_in_chain(const Node& node, unsigned index) const;
  BasicBlock* continuation(const Node& node) const;
  BasicBlock* destination(const BasicBlock& from, const BasicBlock& to) const;

  void replace_phis(BasicBlock& block);
  void begin_block(BasicBlock& block);
  void end_block(BasicBlock& block);
  void end_kept(BranchInst& branch);
  void end_divided(BranchInst& branch);
  void deliver(IRBuilder<>& builder, BasicBlock& from, BasicBlock& to, Value* mask);
  void deliver_mask(IRBuilder<>& builder, BasicBlock& from, BasicBlock& to, Value* mask);
  void deliver_phis(IRBuilder<>& builder, BasicBlock& from, BasicBlock& to, Value* mask);
  bool is_only_edge(const BasicBlock& from, const BasicBlock& to) const;
  void emit_entry(Node& node);
  void emit_loop_end(Level& level);

  Function& function_;
  DivergentFlow& flow_;
  const llvm::DominatorTree& dominators_;  // of before, as the loops are
  const llvm::LoopInfo& loops_;
  Instruction* active_;
  Slots slots_;
  std::vector<BasicBlock*> blocks_;  // those that there were
  llvm::DenseMap<const Level*, LevelCode> levels_;
  llvm::DenseMap<const Node*, AllocaInst*> masks_;
  llvm::DenseMap<const Node*, BasicBlock*> tests_;   // of tested nodes
  llvm::DenseMap<const Node*, BasicBlock*> enters_;  // of masked loops
  llvm::DenseSet<const Node*> rare_;                 // tested ones that hardly any lane reaches
  llvm::DenseMap<const PHINode*, AllocaInst*> phi_slots_;
  llvm::DenseMap<const BasicBlock*, unsigned> edges_in_;
  llvm::DenseMap<const BasicBlock*, Value*> block_masks_;
  std::vector<PHINode*> replaced_;
};

// All that the code of an edge may refer to.
void Linearizer::plan() {
  for (BasicBlock& block : function_) blocks_.push_back(&block);
  for (BasicBlock* block : blocks_)
    for (BasicBlock* successor : llvm::successors(block)) ++edges_in_[successor];
  Value* none = llvm::ConstantInt::getFalse(function_.getContext());
  const auto rare = rare_blocks(function_, dominators_);
  for (Level& level : flow_.levels()) {
    if (level.masked) plan_loop(level);
    for (Node* node : level.nodes) {
      if (node->chain && node->mask_source == node)
        masks_[node] = slots_.add(none->getType(), "mask",
                                  is_always_set(*node) ? nullptr : begin(level), none);
      if (!node->tested) continue;
      tests_[node] = add_block(node->block->getName() + ".test", node->block);
      if (rare.contains(node->block)) rare_.insert(node);
    }
  }
}

// Whether the one edge to a node sets its mask before the node's chain is entered in any way.
bool Linearizer::is_always_set(const Node& node) const {
  const BasicBlock* from = node.block->getSinglePredecessor();
  if (!from || flow_.node(from)->level != node.level || flow_.node(from)->chain) return false;
  return llvm::all_of(node.chain->nodes,
                      [&](const Node* other) { return dominators_.dominates(from, other->block); });
}

void Linearizer::plan_loop(Level& level) {
  Value* none = llvm::ConstantInt::getFalse(function_.getContext());
  BasicBlock* header = level.node->block;
  LevelCode& code = levels_[&level];
  code.active = slots_.add(none->getType(), "active", nullptr, nullptr);
  code.next = slots_.add(none->getType(), "active.next", begin(level), none);
  code.end = add_block(header->getName() + ".end", level.loop->getLoopLatch()->getNextNode());
  code.metadata = level.loop->getLoopID();
  enters_[level.node] = add_block(header->getName() + ".enter", header);
}

// The lanes that run in a block, or enter a loop.
Value* Linearizer::load_mask(IRBuilder<>& builder, const Node& node) const {
  AllocaInst* slot = mask_slot(node);
  return slot ? builder.CreateLoad(builder.getInt1Ty(), slot, "mask") : active_;
}

// Null where all lanes do that run at all.
AllocaInst* Linearizer::mask_slot(const Node& node) const {
  return node.chain ? masks_.lookup(node.mask_source) : level_mask(*node.level);
}

AllocaInst* Linearizer::level_mask(const Level& level) const {
  if (level.masked) return levels_.lookup(&level).active;
  return level.node ? mask_slot(*level.node) : nullptr;
}

// Whether the edge stays, and with all lanes of the level that it begins at.
bool Linearizer::keeps_edge(const BasicBlock& from, const BasicBlock& to) const {
  const Node* node = flow_.node(&from);
  if (!keeps_branch(*node)) return false;
  const Node* target = flow_.target(&from, &to);
  for (; node->level != target->level; node = node->level->node)
    if (node->chain || (node->loop && node->loop->masked)) return false;
  if (node->chain || (node->loop && node->loop->masked)) return false;
  return !target->chain && !(target->loop && target->loop->masked);
}

// Returns the block that begins a node.
BasicBlock* Linearizer::entry(const Node& node) const {
  return node.tested ? tests_.lookup(&node) : inside(node);
}

BasicBlock* Linearizer::inside(const Node& node) const {
  return node.loop && node.loop->masked ? enters_.lookup(&node) : node.block;
}

BasicBlock* Linearizer::entry_or_end(const Node* node, const Level& level) const {
  return node ? entry(*node) : levels_.lookup(&level).end;
}

BasicBlock* Linearizer::next_in_chain(const Node& node, unsigned index) const {
  const Chain& chain = *node.chain;
  return index < chain.nodes.size() ? entry(*chain.nodes[index])
                                    : entry_or_end(chain.end, *node.level);
}

// Returns the block that follows a node whose lanes may go different ways.
BasicBlock* Linearizer::continuation(const Node& node) const {
  if (node.chain) return next_in_chain(node, node.index + 1);
  const Node* first = nullptr;
  for (const Node* successor : node.successors)
    if (successor && (!first || successor->position < first->position)) first = successor;
  return entry_or_end(first, *node.level);
}

// Returns the block at the end of an edge that all lanes of a level take.
BasicBlock* Linearizer::destination(const BasicBlock& from, const BasicBlock& to) const {
  const Node* node = flow_.node(&from);
  const Node* target = flow_.target(&from, &to);
  if (is_next_iteration(*target, to)) return target->block;
  while (node->level != target->level) {
    node = node->level->node;
    // Others are still in the loop around, or have gone elsewhere in it.
    if (node->chain || node->loop->masked) return continuation(*node);
  }
  return entry(*target);
}

void Linearizer::replace_phis(BasicBlock& block) {
  if (llvm::all_of(llvm::predecessors(&block),
                   [&](BasicBlock* from) { return keeps_edge(*from, block); }))
    return;
  const Level& level = *flow_.node(&block)->level;
  BasicBlock* reset = begin(level) == &block ? nullptr : begin(level);
  for (PHINode& phi : block.phis()) {
    llvm::Type* type = phi.getType();
    phi_slots_[&phi] = slots_.add(type, phi.getName(), reset, llvm::PoisonValue::get(type));
    replaced_.push_back(&phi);
  }
  IRBuilder<> builder(&block, begin_of(block));
  for (PHINode& phi : block.phis()) {
    Value* value = builder.CreateLoad(phi.getType(), phi_slots_[&phi]);
    value->takeName(&phi);
    phi.replaceAllUsesWith(value);
  }
}

void Linearizer::begin_block(BasicBlock& block) {
  IRBuilder<> builder(&block, begin_with(block, active_));
  Value* mask = load_mask(builder, *flow_.node(&block));
  if (!mask) return;
  create_lanes(builder, mask);
  block_masks_[&block] = mask;
  for (Instruction& instruction : block)
    if (is_any(instruction)) restrict_to(mask, llvm::cast<llvm::CallInst>(instruction));
}

void Linearizer::end_block(BasicBlock& block) {
  auto* branch = llvm::dyn_cast<BranchInst>(block.getTerminator());
  if (!branch) return;
  keeps_branch(*flow_.node(&block)) ? end_kept(*branch) : end_divided(*branch);
}

// All lanes go the same way.
void Linearizer::end_kept(BranchInst& branch) {
  BasicBlock& from = *branch.getParent();
  for (unsigned i = 0; i < branch.getNumSuccessors(); ++i) {
    BasicBlock& to = *branch.getSuccessor(i);
    const bool has_slots = !to.phis().empty() && phi_slots_.contains(&*to.phis().begin());
    const bool kept = keeps_edge(from, to);
    if (kept && !has_slots) continue;
    BasicBlock* code =
        branch.isConditional() ? add_block(from.getName() + ".edge", from.getNextNode()) : &from;
    if (branch.isConditional()) BranchInst::Create(&to, code);
    IRBuilder<> builder(code->getTerminator());
    deliver(builder, from, to, kept ? nullptr : block_masks_.lookup(&from));
    llvm::cast<BranchInst>(code->getTerminator())->setSuccessor(0, destination(from, to));
    if (branch.isConditional()) branch.setSuccessor(i, code);
  }
}

// Lanes may go to each of the successors.
void Linearizer::end_divided(BranchInst& branch) {
  BasicBlock& from = *branch.getParent();
  IRBuilder<> builder(&branch);
  Value* mask = block_masks_.lookup(&from);
  Value* none = builder.getFalse();
  for (unsigned i = 0; i < branch.getNumSuccessors(); ++i) {
    Value* edge = mask;
    if (branch.isConditional()) {
      // Where lanes do not run, the condition may be poison.
      Value* condition = branch.getCondition();
      if (i == 1) condition = builder.CreateNot(condition);
      edge = mask ? builder.CreateSelect(mask, condition, none) : condition;
    }
    deliver(builder, from, *branch.getSuccessor(i), edge);
  }
  builder.CreateBr(continuation(*flow_.node(&from)));
  branch.eraseFromParent();
}

// Lets lanes go from one block to the other.
void Linearizer::deliver(IRBuilder<>& builder, BasicBlock& from, BasicBlock& to, Value* mask) {
  deliver_mask(builder, from, to, mask);
  deliver_phis(builder, from, to, mask);
}

bool Linearizer::is_only_edge(const BasicBlock& from, const BasicBlock& to) const {
  return edges_in_.lookup(&to) == 1 && flow_.node(&from)->level == flow_.node(&to)->level;
}

void Linearizer::deliver_mask(IRBuilder<>& builder, BasicBlock& from, BasicBlock& to, Value* mask) {
  const Node* target = flow_.target(&from, &to);
  const Level* level = target->level;
  if (!mask) mask = builder.getTrue();
  if (is_next_iteration(*target, to)) {
    if (level->masked) builder.CreateStore(mask, levels_[level].next);
    return;
  }
  AllocaInst* slot = masks_.lookup(target);
  if (!slot) return;
  if (!target->loop && !is_only_edge(from, to))
    mask = builder.CreateOr(builder.CreateLoad(mask->getType(), slot), mask);
  builder.CreateStore(mask, slot);
}

void Linearizer::deliver_phis(IRBuilder<>& builder, BasicBlock& from, BasicBlock& to, Value* mask) {
  const bool to_header = begin(*flow_.node(&to)->level) == &to;
  const bool whole = !mask || to_header || is_only_edge(from, to);
  for (PHINode& phi : to.phis()) {
    AllocaInst* slot = phi_slots_.lookup(&phi);
    if (!slot) continue;
    Value* value = phi.getIncomingValueForBlock(&from);
    // Other lanes may have come by other edges.
    if (!whole) value = builder.CreateSelect(mask, value, builder.CreateLoad(phi.getType(), slot));
    builder.CreateStore(value, slot);
  }
}

// Emits the code before a node: a way around it, and the mask of a loop.
void Linearizer::emit_entry(Node& node) {
  IRBuilder<> builder(function_.getContext());
  if (node.tested) {
    builder.SetInsertPoint(tests_[&node]);
    Value* any = create_any(builder, load_mask(builder, node));
    BasicBlock* behind = next_in_chain(node, node.chain->run_end[node.index]);
    llvm::MDNode* weights = nullptr;
    if (rare_.contains(&node))
      weights = llvm::MDBuilder(function_.getContext()).createUnlikelyBranchWeights();
    builder.CreateCondBr(any, inside(node), behind, weights);
  }
  if (node.loop && node.loop->masked) {
    builder.SetInsertPoint(enters_[&node]);
    Value* mask = load_mask(builder, node);
    builder.CreateStore(mask ? mask : builder.getTrue(), levels_[node.loop].active);
    builder.CreateBr(node.block);
  }
}

void Linearizer::emit_loop_end(Level& level) {
  LevelCode& code = levels_[&level];
  IRBuilder<> builder(code.end);
  Value* next = builder.CreateLoad(builder.getInt1Ty(), code.next, "active.next");
  builder.CreateStore(next, code.active);
  BranchInst* branch =
      builder.CreateCondBr(create_any(builder, next), begin(level), continuation(*level.node));
  branch->setMetadata(llvm::LLVMContext::MD_loop, code.metadata);
}

// Masks that are constant, and values that only one way brings.
void simplify(Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::SimplifyQuery query(function.getDataLayout(), &dominators);
  bool changed = true;
  for (unsigned round = 0; changed && round < 4; ++round) {
    changed = false;
    for (Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (instruction.getType()->isVoidTy()) continue;
      Value* simple = llvm::simplifyInstruction(&instruction, query);
      if (simple && simple != &instruction) {
        instruction.replaceAllUsesWith(simple);
        changed = true;
      }
      if (llvm::isInstructionTriviallyDead(&instruction)) instruction.eraseFromParent();
    }
  }
}

// A branch that was kept has a condition that is the same for the lanes that run. Should it depend
// on values that the flow of masks has made different for others, those have no say.
void make_branches_uniform(Function& function, const LaneIds& ids) {
  // Not the analysis's: the code has changed since the pass began.
  const Uniformity uniformity(function, ids);
  for (BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional()) continue;
    Value* condition = branch->getCondition();
    if (!uniformity.is_divergent(*condition)) continue;
    IRBuilder<> builder(branch);
    if (Value* mask = mask_of(block))
      condition = builder.CreateSelect(mask, condition, builder.getFalse());
    branch->setCondition(create_any(builder, condition));
  }
}

// Marks the active lanes in each block of a function in which no branch divides them.
void mask_blocks(Function& function, Instruction* active) {
  for (BasicBlock& block : function) {
    IRBuilder<> builder(&block, begin_with(block, active));
    create_lanes(builder, active);
  }
}

bool linearize(Function& region, const LaneIds& ids, llvm::FunctionAnalysisManager& analyses,
               PartRemarks& remarks) {
  if (region.size() > tuning().region_blocks) return remarks.refuse("it has too many branches");
  const auto& uniformity = analyses.getResult<UniformityAnalysis>(region);
  if (!uniformity.has_divergent_branches()) {
    if (ids.active) mask_blocks(region, ids.active);
    return true;
  }
  {
    llvm::DominatorTree dominators(region);
    llvm::LoopInfo loops(dominators);
    DivergentFlow flow(region, uniformity, dominators, loops);
    if (!Linearizer(region, flow, dominators, loops, ids.active).run())
      return remarks.refuse("too many lane masks in too many blocks");
  }
  llvm::removeUnreachableBlocks(region);
  simplify(region);
  make_branches_uniform(region, ids);
  return true;
}

}  // namespace

llvm::PreservedAnalyses Linearize::run(llvm::Function& region,
                                       llvm::FunctionAnalysisManager& analyses) {
  return transform_lanes(region, analyses, [&](const auto& ids, PartRemarks& remarks) {
    if (ids.lanes.active) ids.lanes.active->setMetadata(kActiveMetadata, nullptr);
    linearize(region, ids.lanes, analyses, remarks);
  });
}

}  // namespace conclave::compiler
