// SPDX-License-Identifier: Apache-2.0
// LLVM's simplification of code for the virtual target, before it is code of a CPU.
#ifndef CONCLAVE_COMPILER_WORKGROUP_SIMPLIFIER_H_
#define CONCLAVE_COMPILER_WORKGROUP_SIMPLIFIER_H_

#include <llvm/IR/Module.h>

#include <memory>

namespace conclave::compiler {

// Setting up passes and their analyses takes as long as running them on a small function: one
// object serves a whole module.
class Simplifier {
 public:
  explicit Simplifier(const llvm::Module& module);
  ~Simplifier();

  // Kernels in SPMD form (one work-item, barriers as calls) and what they call, so that little is
  // live across barriers.
  void run(llvm::Module& module);
  void run(llvm::Function& function);

  // Takes operations on explicit vectors apart, but for loads and stores.
  void scalarize(llvm::Function& function);

  // Unrolls loops with barriers as far as that pays (workgroup/unroll_barrier_loops.h).
  void unroll_barrier_loops(llvm::Function& kernel);

 private:
  struct Passes;
  std::unique_ptr<Passes> passes_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_SIMPLIFIER_H_
