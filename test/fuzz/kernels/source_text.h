// SPDX-License-Identifier: Apache-2.0
// Makes generated source readable: indentation, and nothing declared that is not used.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_SOURCE_TEXT_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_SOURCE_TEXT_H_

#include <string>

namespace conclave::fuzz {

// Declarations are lines "TYPE NAME = ...;" or "TYPE NAME[...]...;", functions begin with a line
// "TYPE NAME(...) {" in the first column's depth; lines are not broken otherwise.
std::string tidy(const std::string& source);

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_SOURCE_TEXT_H_
