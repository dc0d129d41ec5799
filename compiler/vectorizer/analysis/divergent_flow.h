// SPDX-License-Identifier: Apache-2.0
// Where the lanes of a region function take different ways, and where they meet again.
//
// The function's body is a level, and so is the body of every loop. The nodes of a level are its
// blocks and, each as one node, the loops in it; without back edges a level has no cycles. Edges
// that leave a loop's body, and its back edge, go to the level's end.
//
//        a ?x           x differs between lanes, u does not
//        | `----.
//        b ?u   |       lanes divide at a and meet at d: b, c and e are a chain
//        | `-.  |
//        c   |  |       b, c, e are to run one after the other, each with its own mask
//        |   |  |
//        e <-'  |
//        |      |
//        d <----'       d runs with all lanes that a had
//
// e has the mask of b: what enters b comes to e, and from nowhere else.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_DIVERGENT_FLOW_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_DIVERGENT_FLOW_H_

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <deque>
#include <vector>

#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {

struct Chain;
struct Level;

struct Node {
  llvm::BasicBlock* block;                 // a loop's header
  Level* level;                            // that the node is part of
  Level* loop = nullptr;                   // whose body the node stands for; null for a block
  llvm::SmallVector<Node*, 2> successors;  // of this level, each once; null: its end
  Node* post_dominator = nullptr;          // the next node that all ways come to; null: the end
  unsigned position = 0;                   // in the level's topological order
  bool divergent = false;                  // lanes may leave it to different blocks
  Chain* chain = nullptr;
  unsigned index = 0;           // in the chain
  Node* mask_source = nullptr;  // in a chain: the first node that is sure to have the same mask
  bool tested = false;          // in a chain: to be skipped where no lane runs
};

// Nodes of a level that lanes take different ways through.
struct Chain {
  std::vector<Node*> nodes;  // in topological order
  Node* end;                 // where all lanes meet; null: the level's end
  // The first node behind nodes[i] that can be entered without nodes[i] having been.
  std::vector<unsigned> run_end;
};

struct Level {
  llvm::Loop* loop = nullptr;  // null for the function's body
  Node* node = nullptr;        // that stands for the loop; null for the function's body
  std::vector<Node*> nodes;    // in topological order
  bool masked = false;         // the lanes leave the loop at different times
};

class DivergentFlow {
 public:
  // The function is canonical. The flow marks more values as divergent than `uniformity` does, and
  // therefore begins with a copy.
  DivergentFlow(llvm::Function& function, Uniformity uniformity,
                const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops);

  std::deque<Level>& levels() { return levels_; }
  Node* node(const llvm::BasicBlock* block) const { return block_nodes_.lookup(block); }
  // The node of `level` that has the block in it; null where the block is outside.
  Node* node_in(const Level* level, const llvm::BasicBlock* block) const;
  // The node at which an edge arrives.
  Node* target(const llvm::BasicBlock* from, const llvm::BasicBlock* to) const;

 private:
  Node* add_node(llvm::BasicBlock* block, Level* level);
  void add_levels(const llvm::LoopInfo& loops);
  void update();
  void reset();
  bool mark_joined_values();
  void mark_phis(llvm::BasicBlock& block);
  void find_successors(Node& node);
  void sort(Level& level);
  void find_post_dominators(Level& level);
  void find_chains(Level& level);
  void make_chains(Level& level, std::vector<unsigned>& parents, std::vector<unsigned>& ends);
  void find_mask_sources(Chain& chain);
  void find_runs(Chain& chain);
  void choose_tests(Chain& chain);
  bool leaves(const Node& node, const llvm::Loop& loop) const;

  llvm::Function& function_;
  Uniformity uniformity_;
  const llvm::DominatorTree& dominators_;
  std::deque<Node> nodes_;
  std::deque<Chain> chains_;
  std::deque<Level> levels_;  // inner before outer
  llvm::DenseMap<const llvm::BasicBlock*, Node*> block_nodes_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_DIVERGENT_FLOW_H_
