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
// OpenCL leaves undefined what happens if format and arguments disagree. The result is a text in
// any case: an argument of another kind is converted to the kind that the conversion expects, a
// conversion without an argument or of an unknown kind appears as it stands in the format, and a
// pointer that leads nowhere prints no string. Field widths and precisions count up to 4095.
std::string format_print(const char* format, const abi::PrintArgument* descriptors,
                         const void* values);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_PRINT_H_
