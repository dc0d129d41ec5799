// SPDX-License-Identifier: Apache-2.0
// Makes the front end's module fit for the work-group passes.
//
//   define spir_kernel void @scale(...) { call @helper; call spir_kernel @other }
//   define spir_func float @helper(...)                 ; calls @_Z3sinf (declared)
// becomes
//   define spir_kernel void @scale(...) { call @cl.helper; call spir_func @other.callee }
//   define internal spir_func float @cl.helper(...)
//
// - Every function but the kernels becomes internal with a name that no C library function has:
//   LLVM would take a user's function called `malloc` for the real one.
// - A kernel that is called like a function gets a copy for its callers.
// - Only barriers stay `convergent` (clang marks every call in OpenCL C), and builtins that depend
//   on nothing but their arguments are marked so: both free the optimiser.
#ifndef CONCLAVE_COMPILER_WORKGROUP_PREPARE_MODULE_H_
#define CONCLAVE_COMPILER_WORKGROUP_PREPARE_MODULE_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace conclave::compiler {

// On a kernel whose work-groups have to run all at the same time, each on a compute unit of its
// own.
inline constexpr char kGangAttribute[] = "conclave-gang";

// The kernels that a module defines, in the order of the source.
std::vector<llvm::Function*> find_kernels(llvm::Module& module);

// Throws BuildError for what the device does not have (device-side enqueue,
// variadic functions).
struct CheckTypes : llvm::PassInfoMixin<CheckTypes> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Turns __attribute__((annotate("conclave.gang"))) of a kernel into the function attribute: the
// list of annotations would keep its functions from being changed.
struct TakeAnnotations : llvm::PassInfoMixin<TakeAnnotations> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

struct PrepareModule : llvm::PassInfoMixin<PrepareModule> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Attributes of opaque builtins; to be repeated after more functions were linked in.
void annotate_builtins(llvm::Module& module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_PREPARE_MODULE_H_
