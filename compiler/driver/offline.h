// SPDX-License-Identifier: Apache-2.0
// What a command line of clocl asks for: from files to files.
#ifndef CONCLAVE_COMPILER_DRIVER_OFFLINE_H_
#define CONCLAVE_COMPILER_DRIVER_OFFLINE_H_

#include "compiler/driver/command_line.h"

namespace conclave::compiler {

// Compiles and links, writes diagnostics to standard error, and returns the exit status: 0, or 1
// where that fails. Throws UsageError for a file that is no input.
int run_offline(const CommandLine& line);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_OFFLINE_H_
