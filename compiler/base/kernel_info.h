// SPDX-License-Identifier: Apache-2.0
// What is known about a kernel, and what becomes known while it is compiled.
#ifndef CONCLAVE_COMPILER_BASE_KERNEL_INFO_H_
#define CONCLAVE_COMPILER_BASE_KERNEL_INFO_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_KERNEL_INFO_H_
