// SPDX-License-Identifier: Apache-2.0
// What a program binary tells about its kernels (conclave/metadata.def): found in LLVM's IR,
// written and read as JSON.
#ifndef CONCLAVE_COMPILER_BINARY_METADATA_H_
#define CONCLAVE_COMPILER_BINARY_METADATA_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "conclave/metadata.h"

namespace conclave::compiler {

// Reads what clang noted about a kernel and lays out its argument block. Throws BuildError where
// there is no such note (a kernel made by another compiler).
KernelInfo describe_kernel(const llvm::Function& kernel);

// Bytes of the program-scope variables in global memory.
uint64_t count_global_bytes(const llvm::Module& module);

// The text that the loader reads (platform/loader/metadata.h).
std::string to_json(const ProgramInfo& program);

// The metadata of an input. Throws BinaryError for text that is none.
ProgramInfo read_metadata(std::string_view json);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_METADATA_H_
