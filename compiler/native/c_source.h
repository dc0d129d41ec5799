// SPDX-License-Identifier: Apache-2.0
// C sources that belong to a program: clang makes position-independent objects of them. Headers are
// those of this machine.
#ifndef CONCLAVE_COMPILER_NATIVE_C_SOURCE_H_
#define CONCLAVE_COMPILER_NATIVE_C_SOURCE_H_

#include <string>
#include <vector>

#include "compiler/frontend/options.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {

// Which of the options of OpenCL C count: -D, -I, -g, -w, -Werror and -cl-opt-disable. With
// `has_openmp`, OpenMP's directives do. Diagnostics are appended to `log`; "" where there are
// errors.
std::string compile_c(const std::string& path, const Options& options, bool has_openmp,
                      const Target& target, std::string& log);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_NATIVE_C_SOURCE_H_
