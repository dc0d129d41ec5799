// SPDX-License-Identifier: Apache-2.0
// Builds of code for one kind of a kernel's launches, from the bitcode in the program's binary.
#ifndef CONCLAVE_PLATFORM_EXEC_SPECIAL_BUILDS_H_
#define CONCLAVE_PLATFORM_EXEC_SPECIAL_BUILDS_H_

#include <string>

#include "conclave/compile_protocol.h"
#include "platform/model/kernel.h"
#include "platform/model/launch_kinds.h"

namespace conclave::special_builds {

// "local size 64,1,1, image formats 4277/4314"; "" for all launches.
std::string text_of(const LaunchKind& kind);
// "kernel 'k', local size 64,1,1".
std::string describe(const KernelCode& code, const LaunchKind& kind);
// Stands for the program: the cache keeps what is known of its kernels under it.
protocol::Request request_for(const ProgramBinary& binary);
// Asks for the kernel alone, for this kind of launches.
protocol::Request request_for(const KernelCode& code, const LaunchKind& kind);
// The code in the answer to such a request. Throws Error{CL_INVALID_BINARY} if it cannot take the
// place of the general code.
SpecializedCode load(const KernelCode& code, const LaunchKind& kind, std::string binary);

}  // namespace conclave::special_builds

#endif  // CONCLAVE_PLATFORM_EXEC_SPECIAL_BUILDS_H_
