// SPDX-License-Identifier: Apache-2.0
// How the vectorizer's passes speak of lane masks while the code still describes one work-item: a
// mask is a value of type i1, different for each lane, and two functions say what is done with it.
//
//   call void @conclave.lanes(i1 %mask)      ; first in a block: from here to its end only the
//                                            ; lanes with %mask run; in blocks without it, all
//   %any = call i1 @conclave.any(i1 %mask)   ; whether any lane has %mask: the same for all lanes
//   %any = call i1 @conclave.outside(i64 %offset, i64 %limit)
//                                            ; whether any lane has an unsigned offset of %limit
//                                            ; or more; %limit is the same for all lanes and
//                                            ; below 2^63
//   %now = call i64 @conclave.reread(ptr %p) ; the value there now: another lane may have stored
//                                            ; one since this lane did
//
// Control flow is linearized when every branch depends on values that are the same for all lanes.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_MASKS_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_MASKS_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Emit the calls.
llvm::CallInst* create_lanes(llvm::IRBuilderBase& builder, llvm::Value* mask);
llvm::CallInst* create_any(llvm::IRBuilderBase& builder, llvm::Value* mask);

llvm::CallInst* create_outside(llvm::IRBuilderBase& builder, llvm::Value* offset,
                               llvm::Value* limit);
llvm::CallInst* create_reread(llvm::IRBuilderBase& builder, llvm::Value* pointer);

bool is_lanes(const llvm::Instruction& instruction);
bool is_any(const llvm::Instruction& instruction);
bool is_outside(const llvm::Instruction& instruction);

// Makes loads of them: from then on, code is for several lanes, or for one.
void lower_rereads(llvm::Function& function);

// Replaces the calls in code that runs one work-item: it is the only lane.
struct LowerVotesOfOne : llvm::PassInfoMixin<LowerVotesOfOne> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// The mask of a block; null where all lanes run.
llvm::Value* mask_of(llvm::BasicBlock& block);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_LANE_MASKS_H_
