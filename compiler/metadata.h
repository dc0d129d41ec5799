// SPDX-License-Identifier: Apache-2.0
// What a program binary tells about its kernels (conclave/program_image.h).
#ifndef CONCLAVE_COMPILER_METADATA_H_
#define CONCLAVE_COMPILER_METADATA_H_

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/frontend.h"

namespace conclave::compiler {

struct ArgumentInfo {
  std::string name;
  std::string type;     // as in the source
  std::string kind;     // value, pointer, local, image, sampler
  std::string address;  // private, global, constant, local
  std::string access;   // none, read_only, write_only, read_write
  std::vector<std::string> qualifiers;
  uint64_t size = 0;
  uint64_t offset = 0;
  uint64_t alignment = 0;
};

struct KernelInfo {
  std::string name;
  std::string symbol;
  std::string attributes;
  std::array<uint64_t, 3> required_local_size = {};
  std::array<uint64_t, 3> work_group_size_hint = {};
  bool gang = false;                     // all work-groups run at once
  bool calls_native = false;             // C code
  bool uniform_work_groups = false;      // no group is smaller than the enqueued size
  unsigned required_sub_group_size = 0;  // 0: none
  unsigned lanes = 1;                    // work-items that run at once, a sub-group
  bool joins_groups = false;             // runs several work-groups as one
  unsigned dimension = 0;                // that they are neighbours in, if groups are large enough
  bool checked = false;                  // it has checks (conclave/check_abi.h)
  uint64_t check_granule = 0;            // of global memory's tags; 0: none are needed
  uint64_t check_local_granule = 0;      // of local memory's
  bool check_races = true;               // whether work-items are ordered by barriers alone
  std::string check_uses;  // for each argument: 'r' read, 'w' written, 'b' both, '-' neither
  uint64_t local_bytes = 0;
  uint64_t spill_bytes = 0;
  uint64_t private_bytes = 0;
  uint64_t arguments_bytes = 0;
  std::vector<ArgumentInfo> arguments;
};

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

#endif  // CONCLAVE_COMPILER_METADATA_H_
