// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_XRT_FAILURE_H_
#define CONCLAVE_XRT_FAILURE_H_

#include <cerrno>
#include <string>

#include "platform/base/error.h"

namespace conclave::xrt {

// Throws the Error for a call of XRT's interface that returns `error_number`.
[[noreturn]] inline void fail(int error_number, const std::string& text) {
  throw Error(error_number == ENOMEM ? CL_OUT_OF_RESOURCES : CL_INVALID_VALUE, text, error_number);
}

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_FAILURE_H_
