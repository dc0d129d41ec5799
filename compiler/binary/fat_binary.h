// SPDX-License-Identifier: Apache-2.0
// Program binaries for several CPUs: one that has the others in a section
// (conclave/program_binary.h).
#ifndef CONCLAVE_COMPILER_BINARY_FAT_BINARY_H_
#define CONCLAVE_COMPILER_BINARY_FAT_BINARY_H_

#include <string>
#include <vector>

namespace conclave::compiler {

// Joins executable program binaries of one program, at least one. The one that runs on most CPUs
// holds the others. Throws BinaryError.
std::string join_binaries(std::vector<std::string> binaries);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_FAT_BINARY_H_
