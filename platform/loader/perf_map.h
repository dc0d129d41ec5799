// SPDX-License-Identifier: Apache-2.0
// Names of kernels for perf and other profilers, if the configuration asks for them.
//
// The code of programs is in memory files, in which profilers find no symbols. For code in memory
// without a file they read /tmp/perf-<pid>.map, which has a line "address size name" for each
// function. So this moves the code to such memory and writes its functions there.
#ifndef CONCLAVE_PLATFORM_LOADER_PERF_MAP_H_
#define CONCLAVE_PLATFORM_LOADER_PERF_MAP_H_

#include <cstdint>

#include "platform/loader/kernel_calls.h"
#include "platform/loader/program_binary.h"

namespace conclave {

// `base`: the place of the binary's address 0. If it is impossible, a warning is logged.
void write_perf_map(const ProgramBinary& binary, const CodeRange& code, uintptr_t base);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_PERF_MAP_H_
