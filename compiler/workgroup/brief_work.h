// SPDX-License-Identifier: Apache-2.0
// Whether a work-item of a region runs few instructions, whatever its data are: all of its loops have
// few iterations, whose number is known. Code that runs such work-items seldom need not be fast.
#ifndef CONCLAVE_COMPILER_WORKGROUP_BRIEF_WORK_H_
#define CONCLAVE_COMPILER_WORKGROUP_BRIEF_WORK_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// At most `brief_instructions` (base/tuning.def), with those of the functions that it calls.
bool is_brief(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);

// The same where functions without a body, as builtins are until they are linked, count as one instruction:
// what the region itself repeats is little.
bool is_brief_besides_calls(llvm::Function& region, llvm::FunctionAnalysisManager& analyses);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_BRIEF_WORK_H_
