// SPDX-License-Identifier: Apache-2.0
// Alias analysis that knows the virtual target's address spaces: global (with constant), local and
// private memory are three different memories. A generic pointer may lead to any of them.
#ifndef CONCLAVE_COMPILER_BASE_ADDRESS_SPACE_ALIASING_H_
#define CONCLAVE_COMPILER_BASE_ADDRESS_SPACE_ALIASING_H_

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

class AddressSpaceAliases : public llvm::AAResultBase {
 public:
  static llvm::AliasResult alias(const llvm::MemoryLocation& a, const llvm::MemoryLocation& b,
                                 llvm::AAQueryInfo& query, const llvm::Instruction* context);
  // Holds for all functions at all times.
  static bool invalidate(llvm::Function&, const llvm::PreservedAnalyses&,
                         llvm::FunctionAnalysisManager::Invalidator&) {
    return false;
  }
};

class AddressSpaceAliasing : public llvm::AnalysisInfoMixin<AddressSpaceAliasing> {
 public:
  using Result = AddressSpaceAliases;
  static Result run(llvm::Function&, llvm::FunctionAnalysisManager&) {
    return AddressSpaceAliases();
  }

 private:
  friend llvm::AnalysisInfoMixin<AddressSpaceAliasing>;
  static llvm::AnalysisKey Key;
};

// LLVM's alias analyses of single functions, and this one before them.
llvm::AAManager make_alias_analyses();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_ADDRESS_SPACE_ALIASING_H_
