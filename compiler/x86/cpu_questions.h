// SPDX-License-Identifier: Apache-2.0
// What the builtins library asks about the code that it becomes part of, by calls of functions that
// are nowhere defined:
//
//   i1 @conclave.has_fma()              whether the CPU multiplies and adds in one operation
//   i1 @conclave.has_register_tables()  whether a lane takes one of 8 floats by one operation
//
// Code for single work-items has no such tables: there are no lanes, and LLVM's vectorizers, which
// may find some, do not know the operation.
#ifndef CONCLAVE_COMPILER_X86_CPU_QUESTIONS_H_
#define CONCLAVE_COMPILER_X86_CPU_QUESTIONS_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "compiler/x86/target.h"

namespace conclave::compiler {

// Answers the questions that do not depend on lanes.
struct AnswerCpuQuestions : llvm::PassInfoMixin<AnswerCpuQuestions> {
  const Target& target;

  explicit AnswerCpuQuestions(const Target& cpu) : target(cpu) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) const;
};
// In a function that becomes one for packets, and then in all others.
struct AnswerPacketQuestions : llvm::PassInfoMixin<AnswerPacketQuestions> {
  const Target& target;

  explicit AnswerPacketQuestions(const Target& cpu) : target(cpu) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) const;
};
struct AnswerScalarQuestions : llvm::PassInfoMixin<AnswerScalarQuestions> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Whether packets of `function` get another answer than single work-items, so that their results may
// differ in the last bit. Called before packets are made.
bool asks_about_packets(const llvm::Function& function);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_X86_CPU_QUESTIONS_H_
