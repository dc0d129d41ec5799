// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_EXEC_PRINT_H_
#define CONCLAVE_PLATFORM_EXEC_PRINT_H_

#include <string>

#include "conclave/kernel_abi.h"

namespace conclave {

// The text of one call of OpenCL C's printf (OpenCL C 6.15.14), independent of the host's locale.
//
// `format` is the call's format string. `descriptors` ends with kind 0 and describes `values`,
// which hold one value after the other, each at a multiple of 8 bytes.
//
// Where format and arguments disagree, which OpenCL leaves undefined, the result is still a text:
// an argument of another kind is converted to what the conversion wants, a conversion without
// argument and one that does not exist appear as they stand in the format, a pointer that leads
// nowhere is no string. Field widths and precisions count up to 4095.
std::string format_print(const char* format, const abi::PrintArgument* descriptors,
                         const void* values);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_PRINT_H_
