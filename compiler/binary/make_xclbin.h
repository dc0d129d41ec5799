// SPDX-License-Identifier: Apache-2.0
// Xclbins (docs/xclbin.md): a program binary with named compute units for its kernels.
#ifndef CONCLAVE_COMPILER_BINARY_MAKE_XCLBIN_H_
#define CONCLAVE_COMPILER_BINARY_MAKE_XCLBIN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/error.h"

namespace conclave::compiler {

// The compute units that the command line asks for; if it names none, each kernel has one.
struct LayoutRequest {
  std::vector<std::pair<std::string, uint64_t>> compute_units;  // kernel, how many
  std::string file;                                             // path of a layout, and its text
  std::string text;
};

// Throws BuildError with "FILE:LINE:COLUMN: error: ..." for a layout that does not fit the program,
// BinaryError where `program` is no program binary.
std::string make_xclbin(const std::string& program, const LayoutRequest& request);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_MAKE_XCLBIN_H_
