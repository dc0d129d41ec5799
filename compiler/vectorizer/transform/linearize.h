// SPDX-License-Identifier: Apache-2.0
// Turns control flow that differs between lanes into data flow with lane masks (lane_masks.h). The
// code still describes one work-item; all branches become the same for all lanes.
//
//     br i1 %c, label %then, label %end          %any = call i1 @conclave.any(i1 %c)
//   then:                                        br i1 %any, label %then, label %end
//     %a = load ...                            then:
//     br label %end                              call void @conclave.lanes(i1 %c)
//   end:                                 =>      %a = load ...
//     %v = phi [ 0, ... ], [ %a, %then ]         br label %end
//                                              end:
//                                                %a1 = phi [ poison, ... ], [ %a, %then ]
//                                                %v = select i1 %c, i32 %a1, i32 0
//
//   loop:                                      loop:
//     ...                                        %active = phi i1 [ true, .. ], [ %next, %loop ]
//     br i1 %c, label %loop, label %end          call void @conclave.lanes(i1 %active)
//                                        =>      ...
//                                                %next = select i1 %active, i1 %c, i1 false
//                                                %any = call i1 @conclave.any(i1 %next)
//                                                br i1 %any, label %loop, label %end
//
// With LaneIds::active every block has a conclave.lanes, at least with that mask.
//
// Promised of the result:
//  - In a block with a conclave.lanes that accesses memory or calls anything, at least one lane
//    runs. There are no other blocks that lanes might not run in, but for instructions that do no
//    harm.
//  - Uniformity finds every branch uniform.
//  - Values of lanes that do not run may be poison.
#ifndef CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_LINEARIZE_H_
#define CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_LINEARIZE_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Runs after Canonicalize. Refuses functions for which that is not possible, and leaves them in a
// state that is good for nothing.
struct Linearize : llvm::PassInfoMixin<Linearize> {
  static llvm::PreservedAnalyses run(llvm::Function& region,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_TRANSFORM_LINEARIZE_H_
