// SPDX-License-Identifier: Apache-2.0
// What a program binary tells about its kernels (conclave/program_image.h).
#ifndef CONCLAVE_COMPILER_BINARY_METADATA_H_
#define CONCLAVE_COMPILER_BINARY_METADATA_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/kernel_info.h"
#include "compiler/frontend/frontend.h"

namespace conclave::compiler {

struct ProgramInfo {
  std::string kind;  // executable, object, library
  std::string target_cpu;
  std::vector<std::string> target_features;
  std::vector<std::string> native_features;  // what the C code needs of the CPU, as far as known
  std::string options;
  uint64_t global_bytes = 0;
  std::vector<Dependency> dependencies;
  std::vector<KernelInfo> kernels;
};

// Reads what clang noted about a kernel and lays out its argument block. Throws BuildError where
// there is no such note (a kernel made by another compiler).
KernelInfo describe_kernel(const llvm::Function& kernel);

// Bytes of the program-scope variables in global memory.
uint64_t count_global_bytes(const llvm::Module& module);

std::string to_json(const ProgramInfo& program);

// What a later step needs of an input's metadata.
struct InputInfo {
  std::string kind;
  std::string options;
  std::vector<std::string> native_features;
  size_t target_features = 0;  // how many
};
// Throws ImageError for text that is no metadata.
InputInfo read_metadata(std::string_view json);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_METADATA_H_
