// SPDX-License-Identifier: Apache-2.0
// Pipes, and streams: the pipes of OpenCL C in the kernels of xclbins. A pipe argument is the address
// of an abi::Pipe (conclave/kernel_abi.h), or of an abi::Stream, one end of a stream. What clang makes
// of pipe functions becomes calls of our builtins (builtins/pipe.cl, builtins/stream.cl). In a stream:
//
//   call i32 @__read_pipe_2(target("spirv.Pipe", 0) %in, ptr addrspace(4) %packet, i32 16, i32 16)
// =>
//   call i32 @conclave_stream_read(target("spirv.Pipe", 0) %in, ptr addrspace(4) %packet, i32 16)
//
// LowerImages then makes pointers of the arguments.
#ifndef CONCLAVE_COMPILER_WORKGROUP_LOWER_STREAMS_H_
#define CONCLAVE_COMPILER_WORKGROUP_LOWER_STREAMS_H_

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace conclave::compiler {

// A pipe or a stream.
bool is_stream(const llvm::Type* type);
// A number of 64 bits after LowerImages.
bool is_reservation(const llvm::Type* type);

// Marks the module: its pipes are streams, also when it is compiled later.
void make_pipes_streams(llvm::Module& module);
// Whether the module is marked so.
bool are_pipes_streams(const llvm::Module& module);

// Throws BuildError for reservations of packets, which a stream does not have: it has one reader
// and one writer.
struct LowerStreams : llvm::PassInfoMixin<LowerStreams> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_WORKGROUP_LOWER_STREAMS_H_
