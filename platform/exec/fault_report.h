// SPDX-License-Identifier: Apache-2.0
// Says in words what went wrong in a kernel's code, where, and what is at the address.
#ifndef CONCLAVE_PLATFORM_EXEC_FAULT_REPORT_H_
#define CONCLAVE_PLATFORM_EXEC_FAULT_REPORT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/loader/kernel_calls.h"

namespace conclave {

// Memory that a launch may access.
struct NamedRange {
  std::string name;
  uint64_t begin, end;  // addresses
};

// What is known of the launch that the fault has ended.
struct FaultScene {
  std::string kernel;
  // The work-group's number in each dimension; nothing if the fault came before the first
  // work-group.
  std::optional<std::array<uint64_t, 3>> group;
  bool may_be_a_later_group = false;  // the code runs several groups of a row as one
  std::vector<NamedRange> memory;
  std::string source_line;  // "file.cl:12"; "" if it is not known
};

// One sentence, such as "kernel 'k', work-group (3, 0, 0): write to 0x7f0123456000, 0 bytes beyond
// the end of the buffer of argument 'out' (4096 bytes); k.cl:7".
std::string describe(const KernelFault& fault, const FaultScene& scene);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_FAULT_REPORT_H_
