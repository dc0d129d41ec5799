// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/divergent_flow.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <numeric>

#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;

bool is_costly(const llvm::Instruction& instruction) {
  if (instruction.mayReadOrWriteMemory() || instruction.isIntDivRem()) return true;
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && !llvm::isa<llvm::IntrinsicInst>(call);
}

// What should not, or must not, run without an active lane.
bool is_costly(const Node& node) {
  return node.loop || node.block->sizeWithoutDebug() > tuning().cheap_block ||
         llvm::any_of(*node.block, [](const auto& instruction) { return is_costly(instruction); });
}

// The next node that is on all ways from both.
Node* common_post_dominator(Node* a, Node* b) {
  while (a != b) {
    if (!a || !b) return nullptr;
    (a->position < b->position ? a : b) =
        a->position < b->position ? a->post_dominator : b->post_dominator;
  }
  return a;
}

unsigned find_root(std::vector<unsigned>& parents, unsigned i) {
  while (parents[i] != i) i = parents[i] = parents[parents[i]];
  return i;
}

}  // namespace

// Divergent branches make values divergent, and these other branches.
DivergentFlow::DivergentFlow(llvm::Function& function, Uniformity uniformity,
                             const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops)
    : function_(function), uniformity_(std::move(uniformity)), dominators_(dominators) {
  dominators.updateDFSNumbers();
  add_levels(loops);
  do {
    reset();
    update();
  } while (mark_joined_values());
  for (Chain& chain : chains_) {
    find_mask_sources(chain);
    find_runs(chain);
    choose_tests(chain);
  }
}

void DivergentFlow::add_levels(const llvm::LoopInfo& loops) {
  llvm::DenseMap<llvm::Loop*, Level*> levels;
  auto preorder = loops.getLoopsInPreorder();
  for (llvm::Loop* loop : llvm::reverse(preorder)) {
    levels[loop] = &levels_.emplace_back();
    levels[loop]->loop = loop;
  }
  levels[nullptr] = &levels_.emplace_back();
  for (Level& level : levels_) {
    if (!level.loop) continue;
    level.node = add_node(level.loop->getHeader(), levels[level.loop->getParentLoop()]);
    level.node->loop = &level;
  }
  for (BasicBlock& block : function_)
    block_nodes_[&block] = add_node(&block, levels[loops.getLoopFor(&block)]);
}

void DivergentFlow::reset() {
  chains_.clear();
  for (Level& level : levels_) level.nodes.clear();
  for (Node& node : nodes_) {
    node.successors.clear();
    node.chain = nullptr;
  }
}

void DivergentFlow::update() {
  for (Level& level : levels_) {
    sort(level);
    find_post_dominators(level);
    find_chains(level);
    level.masked = level.loop && llvm::any_of(level.nodes, [&](const Node* node) {
                     return (node->divergent || node->chain) && leaves(*node, *level.loop);
                   });
  }
}

// Marks what lanes bring along different ways, or at different times. Returns false if that makes
// no further branch divergent.
bool DivergentFlow::mark_joined_values() {
  auto count = [&] {
    return llvm::count_if(function_, [&](const BasicBlock& block) {
      return uniformity_.has_divergent_branch(block);
    });
  };
  const auto before = count();
  for (Chain& chain : chains_) {
    for (Node* node : chain.nodes)
      if (!node->loop) mark_phis(*node->block);
    if (chain.end) mark_phis(*chain.end->block);
  }
  for (Level& level : levels_) {
    if (!level.masked) continue;
    llvm::SmallVector<BasicBlock*> exits;
    level.loop->getUniqueExitBlocks(exits);
    for (BasicBlock* exit : exits) mark_phis(*exit);
  }
  return count() != before;
}

// Canonical code has a phi wherever lanes may meet with different values.
void DivergentFlow::mark_phis(BasicBlock& block) {
  for (const llvm::PHINode& phi : block.phis())
    if (!llvm::isa_and_nonnull<llvm::Constant>(phi.hasConstantValue()))
      uniformity_.mark_divergent(phi);
}

Node* DivergentFlow::add_node(BasicBlock* block, Level* level) {
  Node& node = nodes_.emplace_back();
  node.block = block;
  node.level = level;
  return &node;
}

Node* DivergentFlow::node_in(const Level* level, const BasicBlock* block) const {
  Node* node = block_nodes_.lookup(block);
  while (node && node->level != level) node = node->level->node;
  return node;
}

Node* DivergentFlow::target(const BasicBlock* from, const BasicBlock* to) const {
  Node* node = block_nodes_.lookup(to);
  const llvm::Loop* loop = node->level->loop;
  const bool enters = loop && loop->getHeader() == to && !loop->contains(from);
  return enters ? node->level->node : node;
}

bool DivergentFlow::leaves(const Node& node, const llvm::Loop& loop) const {
  if (!node.loop)
    return llvm::any_of(llvm::successors(node.block),
                        [&](BasicBlock* block) { return !loop.contains(block); });
  llvm::SmallVector<BasicBlock*> exits;
  node.loop->loop->getExitBlocks(exits);
  return llvm::any_of(exits, [&](BasicBlock* block) { return !loop.contains(block); });
}

void DivergentFlow::find_successors(Node& node) {
  llvm::SmallVector<BasicBlock*> targets;
  if (node.loop) {
    node.loop->loop->getUniqueExitBlocks(targets);
    node.divergent = node.loop->masked && targets.size() > 1;
  } else {
    targets.assign(llvm::succ_begin(node.block), llvm::succ_end(node.block));
    node.divergent = uniformity_.has_divergent_branch(*node.block) && targets.size() > 1;
  }
  const llvm::Loop* loop = node.level->loop;
  for (BasicBlock* target : targets) {
    const bool ends = loop && (target == loop->getHeader() || !loop->contains(target));
    Node* successor = ends ? nullptr : node_in(node.level, target);
    if (!llvm::is_contained(node.successors, successor)) node.successors.push_back(successor);
  }
  if (node.successors.empty()) node.successors.push_back(nullptr);
}

// Depth first, so that the nodes of one side of a branch stay together, and the last successor
// first, so that the first side comes first.
void DivergentFlow::sort(Level& level) {
  Node* first = level.loop ? block_nodes_[level.loop->getHeader()] : nullptr;
  if (!first) first = node_in(&level, &dominators_.getRoot()->getParent()->getEntryBlock());
  std::vector<std::pair<Node*, unsigned>> stack;
  llvm::SmallPtrSet<Node*, 32> seen;
  auto visit = [&](Node* node) {
    if (!node || !seen.insert(node).second) return;
    find_successors(*node);
    stack.emplace_back(node, node->successors.size());
  };
  visit(first);
  while (!stack.empty()) {
    auto& [node, left] = stack.back();
    if (left == 0) {
      level.nodes.push_back(node);
      stack.pop_back();
    } else {
      visit(node->successors[--left]);
    }
  }
  std::reverse(level.nodes.begin(), level.nodes.end());
  for (unsigned i = 0; i < level.nodes.size(); ++i) level.nodes[i]->position = i;
}

void DivergentFlow::find_post_dominators(Level& level) {
  for (Node* node : llvm::reverse(level.nodes)) {
    Node* common = node->successors.front();
    for (Node* successor : node->successors) common = common_post_dominator(common, successor);
    node->post_dominator = common;
  }
}

// A divergent node influences what lies between it and its post-dominator. Where that overlaps with
// what another one influences, both are one chain.
void DivergentFlow::find_chains(Level& level) {
  const unsigned count = level.nodes.size();
  auto position = [&](const Node* node) { return node ? node->position : count; };
  std::vector<unsigned> parents(count);  // of a union-find structure over positions
  std::vector<unsigned> ends(count, 0);  // of a set's root; 0: not in a chain
  std::iota(parents.begin(), parents.end(), 0);
  for (Node* node : level.nodes) {
    if (!node->divergent) continue;
    const unsigned end = position(node->post_dominator);
    unsigned chain = count;
    std::vector<unsigned> work;
    for (Node* successor : node->successors) work.push_back(position(successor));
    while (!work.empty()) {
      unsigned i = work.back();
      work.pop_back();
      if (i >= end) continue;
      unsigned root = find_root(parents, i);
      // A chain that is there already has all that follows up to its end.
      if (chain != count && root == find_root(parents, chain)) continue;
      if (ends[root])
        work.push_back(ends[root]);
      else
        for (Node* successor : level.nodes[i]->successors) work.push_back(position(successor));
      ends[root] = std::max(ends[root], end);
      if (chain == count) {
        chain = root;
      } else {
        unsigned other = find_root(parents, chain);
        parents[root] = other;
        ends[other] = std::max(ends[other], ends[root]);
      }
    }
  }
  make_chains(level, parents, ends);
}

void DivergentFlow::make_chains(Level& level, std::vector<unsigned>& parents,
                                std::vector<unsigned>& ends) {
  llvm::DenseMap<unsigned, Chain*> chains;
  for (Node* node : level.nodes) {
    unsigned root = find_root(parents, node->position);
    if (!ends[root]) continue;
    Chain*& chain = chains[root];
    if (!chain) {
      chain = &chains_.emplace_back();
      chain->end = ends[root] < level.nodes.size() ? level.nodes[ends[root]] : nullptr;
    }
    node->chain = chain;
    node->index = chain->nodes.size();
    chain->nodes.push_back(node);
  }
}

void DivergentFlow::find_mask_sources(Chain& chain) {
  for (Node* node : chain.nodes) {
    const BasicBlock* above = dominators_.getNode(node->block)->getIDom()->getBlock();
    Node* dominator = node_in(node->level, above);
    const bool same = dominator && dominator->chain == &chain && dominator->post_dominator == node;
    node->mask_source = same ? dominator->mask_source : node;
  }
}

void DivergentFlow::find_runs(Chain& chain) {
  for (unsigned i = 0; i < chain.nodes.size(); ++i) {
    unsigned end = i + 1;
    while (end < chain.nodes.size() &&
           dominators_.dominates(chain.nodes[i]->block, chain.nodes[end]->block))
      ++end;
    chain.run_end.push_back(end);
  }
}

// A test at the head of a run stands for all nodes of the run that have the same mask.
void DivergentFlow::choose_tests(Chain& chain) {
  for (Node* node : chain.nodes) {
    if (!is_costly(*node)) continue;
    Node* source = node->mask_source;
    (node->index < chain.run_end[source->index] ? source : node)->tested = true;
  }
}

}  // namespace conclave::compiler
