// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_COMMON_TO_SPIRV_H_
#define CONCLAVE_TEST_COMMON_TO_SPIRV_H_

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "test/common/temporary_directory.h"

namespace conclave::test {

// What `command` makes of a file with that text; it gets the names of the output and the input at
// its end. Throws std::runtime_error if it fails.
inline std::string output_of(const std::string& command, const std::string& text) {
  const TemporaryDirectory folder;
  const std::string input = folder.file("program.cl"), output = folder.file("program.spv");
  std::ofstream(input) << text;
  const std::string whole = command + " -o " + output + " " + input;
  if (std::system(whole.c_str()) != 0) throw std::runtime_error("'" + whole + "' fails");
  std::ifstream file(output, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A module of SPIR-V, made of OpenCL C by the program `clocl`.
inline std::string to_spirv(const std::string& clocl, const std::string& source,
                            const std::string& options = "") {
  return output_of(clocl + " --emit=spirv " + options, source);
}

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_TO_SPIRV_H_
