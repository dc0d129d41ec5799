// SPDX-License-Identifier: Apache-2.0
// Failures of XRT's C interface as exceptions.
#ifndef CONCLAVE_XRT_COREUTIL_FAILURE_H_
#define CONCLAVE_XRT_COREUTIL_FAILURE_H_

#include <string>

#include "xrt/xrt_exception.h"

namespace xrt {

[[noreturn]] inline void fail(int error_number, const std::string& text) {
  throw system_error(error_number, text);
}

// Throws system_error with the text of the calling thread's last call of the C interface.
[[noreturn]] void fail_as_told(int error_number, const std::string& what);

// `result` comes from a function that returns a negative errno on failure.
inline int check(int result, const char* what) {
  if (result < 0) fail_as_told(-result, what);
  return result;
}

}  // namespace xrt

#endif  // CONCLAVE_XRT_COREUTIL_FAILURE_H_
