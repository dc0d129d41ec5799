// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_BINARY_PROGRAM_HEADER_H_
#define CONCLAVE_COMPILER_BINARY_PROGRAM_HEADER_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// A C header that defines `unsigned int STEM_dsp_bin_len` and `char STEM_dsp_bin[]` with the bytes
// of a program binary, as TI's clocl writes it. Characters that a C name may not have become '_'.
std::string program_header(const std::string& stem, std::string_view binary);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BINARY_PROGRAM_HEADER_H_
