// SPDX-License-Identifier: Apache-2.0
// A loop that needs more vectors than there are registers loads numbers that all lanes share where it
// uses them, on CPUs whose operations take one number of memory for all lanes.
//
//   %number = load float, ptr %p                   loop:
//   %splat = splat of %number                 =>     %number = load float, ptr %p
//   loop:                                            %splat = splat of %number
//     %sum = fma %x, %splat, %sum                    %sum = fma %x, %splat, %sum
//
// LLVM moves what is the same in all rounds in front of the loop, however much that is. A product of
// matrices has the whole tile of one of them there, as vectors that are stored to the stack at once
// and loaded again in each round: sixteen times the tile's size. Only numbers that the loop cannot
// change, and only floating-point ones: no address depends on what a second load finds. One of the
// last things to be done to a module.
#ifndef CONCLAVE_COMPILER_X86_RELOADED_SPLATS_H_
#define CONCLAVE_COMPILER_X86_RELOADED_SPLATS_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct ReloadSplats : llvm::PassInfoMixin<ReloadSplats> {
  // `registers`: those that hold vectors.
  explicit ReloadSplats(unsigned registers) : registers_(registers) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  unsigned registers_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_RELOADED_SPLATS_H_
