// SPDX-License-Identifier: Apache-2.0
// Links the OpenCL C builtins that a module needs.
#ifndef CONCLAVE_COMPILER_WORKGROUP_BUILTINS_LINK_H_
#define CONCLAVE_COMPILER_WORKGROUP_BUILTINS_LINK_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include <functional>
#include <utility>

namespace conclave::compiler {

// Builtins made of barriers and work-item functions (async copies): before regions are formed.
struct LinkEarlyBuiltins : llvm::PassInfoMixin<LinkEarlyBuiltins> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Links those of the other builtins that have pointers as parameters and are not for images, so
// that checks see their accesses.
void link_pointer_builtins(llvm::Module& module);

// All others: after the place of the vectorizer, which knows them by name.
// They may ask questions (x86/cpu_questions.h).
struct LinkLateBuiltins : llvm::PassInfoMixin<LinkLateBuiltins> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Throws BuildError naming every function or variable that is used but defined nowhere, apart from
// those that `is_external_function` accepts and those that `is_native` says C code has.
struct CheckResolved : llvm::PassInfoMixin<CheckResolved> {
  std::function<bool(llvm::StringRef)> is_native;

  explicit CheckResolved(std::function<bool(llvm::StringRef)> native)
      : is_native(std::move(native)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const;
};

// True for functions of the C library and its mathematics library, which the dynamic linker finds
// when the program is loaded, and of SLEEF, which the program is linked with.
bool is_external_function(llvm::StringRef name);
bool is_sleef_function(llvm::StringRef name);
bool is_libm_function(llvm::StringRef name);
// abort() and exit(), which end a kernel.
bool is_leaving_function(llvm::StringRef name);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_BUILTINS_LINK_H_
