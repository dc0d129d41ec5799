// SPDX-License-Identifier: Apache-2.0
// Writes and reads the ELF side of program binaries (conclave/program_binary.h).
#ifndef CONCLAVE_COMPILER_BINARY_BINARY_FILE_H_
#define CONCLAVE_COMPILER_BINARY_BINARY_FILE_H_

#include <stdexcept>
#include <string>
#include <string_view>

namespace conclave::compiler {

// The input is no program binary; the text says why.
class BinaryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BinaryParts {
  std::string_view metadata;  // JSON
  std::string_view bitcode;
  std::string_view native;  // archive of objects of C code; empty: none
};

// A relocatable ELF file that holds nothing but the note and the bitcode. By itself it is a program
// binary of kind "object" or "library"; linked with code it becomes an "executable".
std::string write_binary(const BinaryParts& parts);

// Finds the parts in any program binary; they point into `file`. Throws BinaryError.
BinaryParts read_binary(std::string_view file);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_BINARY_FILE_H_
