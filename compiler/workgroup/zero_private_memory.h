// SPDX-License-Identifier: Apache-2.0
// Private memory that begins with zeros (cl_khr_initialize_memory), so that a kernel finds in it
// nothing that others have left there.
//
//   %x = alloca i32                                =>   %x = alloca i32
//   call void @llvm.lifetime.start(i64 4, ptr %x)       call void @llvm.lifetime.start(i64 4, ptr %x)
//                                                       call void @llvm.memset(ptr %x, i8 0, i64 4)
//
// Without such a mark, the zeros are stored once, where the memory is allocated. What the program
// overwrites before it reads it costs nothing after `simplify`. Comes before anything that could take
// a read of what was never written for an arbitrary value.
#ifndef CONCLAVE_COMPILER_WORKGROUP_ZERO_PRIVATE_MEMORY_H_
#define CONCLAVE_COMPILER_WORKGROUP_ZERO_PRIVATE_MEMORY_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

struct ZeroPrivateMemory : llvm::PassInfoMixin<ZeroPrivateMemory> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_ZERO_PRIVATE_MEMORY_H_
