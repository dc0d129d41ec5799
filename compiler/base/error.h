// SPDX-License-Identifier: Apache-2.0
// How the compiler's parts report that a program cannot be built.
#ifndef CONCLAVE_COMPILER_BASE_ERROR_H_
#define CONCLAVE_COMPILER_BASE_ERROR_H_

#include <stdexcept>

namespace conclave::compiler {

// The program is wrong in a way that the front end cannot see. The text goes into the build log
// behind "error: ".
class BuildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// LLVM's code generator gives up. Programs without packets of work-items seldom meet that.
class GeneratorError : public BuildError {
 public:
  using BuildError::BuildError;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_ERROR_H_
