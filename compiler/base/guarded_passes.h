// SPDX-License-Identifier: Apache-2.0
// Pipelines of passes that may throw.
//
// LLVM's pass managers know no exceptions, which must not go through their code. A pass of such a
// pipeline that throws is the last that runs.
#ifndef CONCLAVE_COMPILER_BASE_GUARDED_PASSES_H_
#define CONCLAVE_COMPILER_BASE_GUARDED_PASSES_H_

#include <llvm/IR/PassManager.h>

#include <exception>
#include <memory>
#include <utility>

namespace conclave::compiler {

template <typename Pass>
class Guarded : public llvm::PassInfoMixin<Guarded<Pass>> {
 public:
  Guarded(Pass pass, std::shared_ptr<std::exception_ptr> error)
      : pass_(std::move(pass)), error_(std::move(error)) {}

  static llvm::StringRef name() { return Pass::name(); }

  template <typename Unit, typename Manager>
  llvm::PreservedAnalyses run(Unit& unit, Manager& analyses) {
    if (*error_) return llvm::PreservedAnalyses::all();
    try {
      return pass_.run(unit, analyses);
    } catch (...) {
      *error_ = std::current_exception();
      return llvm::PreservedAnalyses::none();
    }
  }

 private:
  Pass pass_;
  std::shared_ptr<std::exception_ptr> error_;
};

class GuardedPasses {
 public:
  // Adds a pass on modules.
  template <typename Pass>
  void add(Pass pass) {
    passes_.addPass(Guarded<Pass>(std::move(pass), error_));
  }

  // Adds passes on functions, which run on one function after the other.
  template <typename... Passes>
  void add_for_functions(Passes... passes) {
    llvm::FunctionPassManager manager;
    (manager.addPass(Guarded<Passes>(std::move(passes), error_)), ...);
    passes_.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(manager)));
  }

  // Throws what a pass has thrown.
  void run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    passes_.run(module, analyses);
    if (*error_) std::rethrow_exception(*error_);
  }

 private:
  std::shared_ptr<std::exception_ptr> error_ = std::make_shared<std::exception_ptr>();
  llvm::ModulePassManager passes_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_GUARDED_PASSES_H_
