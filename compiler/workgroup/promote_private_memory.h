// SPDX-License-Identifier: Apache-2.0
// Lets private arrays and structures of kernels with barriers become values.
//
//   void load(float *data, global float *in) {          data0 = in[0];
//     for (int i = 0; i < 2; ++i) data[i] = in[i]; }    data1 = in[1];
//   kernel void k(...) {                                barrier
//     float data[2];                              =>    out[0] = data0;
//     load(data, in);                                   out[1] = data1;
//     barrier
//     for (int i = 0; i < 2; ++i) out[i] = data[i]; }
//
// What is still memory when the kernel is cut at its barriers lies in the spill area, where the array
// of one work-item follows that of another, and every access of a packet goes to as many places as
// it has lanes. A value lies beside the same value of the next work-item. So functions that get
// addresses of private memory are inlined, and the loops that index it are unrolled, before the cut.
// Kernels without barriers keep their loops: packets have private arrays of their own, whose
// elements lie side by side anyway. In all functions, private integers that are `volatile` become
// ordinary ones.
#ifndef CONCLAVE_COMPILER_WORKGROUP_PROMOTE_PRIVATE_MEMORY_H_
#define CONCLAVE_COMPILER_WORKGROUP_PROMOTE_PRIVATE_MEMORY_H_

#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// Expects kernels that are simplified (simplify.h), and leaves them so.
struct PromotePrivateMemory : llvm::PassInfoMixin<PromotePrivateMemory> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_PROMOTE_PRIVATE_MEMORY_H_
