// SPDX-License-Identifier: Apache-2.0
// Says in metadata which pointers of a kernel lead to different memory.
//
//   define i32 @k.region.0(..., ptr noalias %a, ptr %b)
//     %v = load float, ptr %b                =>   %v = load ..., !noalias !{scope a, scope spill}
//     store float %v, ptr %a                      store ..., !alias.scope !{scope a},
//                                                            !noalias !{scope spill}
//
// `restrict` arguments and the spill area get a scope each. LLVM makes the same of a `noalias`
// parameter when it inlines a function, but for one call at a time, with a marker in the loop that
// its vectorizer takes for a memory access. Here the scopes hold for the whole kernel, all
// work-items included, and the parameters lose the attribute.
#ifndef CONCLAVE_COMPILER_WORKGROUP_ALIAS_SCOPES_H_
#define CONCLAVE_COMPILER_WORKGROUP_ALIAS_SCOPES_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// To all kernels of the program, before packets are made.
struct AddAliasScopes : llvm::PassInfoMixin<AddAliasScopes> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_ALIAS_SCOPES_H_
