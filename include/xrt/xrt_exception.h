// SPDX-License-Identifier: Apache-2.0
// How XRT's C++ interface reports failures.
#ifndef CONCLAVE_XRT_XRT_EXCEPTION_H_
#define CONCLAVE_XRT_XRT_EXCEPTION_H_

#include <cerrno>
#include <string>
#include <system_error>

#include "xrt.h"

namespace xrt {

// What everything here throws: code() is that of the errno (docs/xclbin.md has the table), what()
// says what failed and why, with names and numbers.
class XCL_DRIVER_DLLESPEC system_error : public std::system_error {
 public:
  // `number`: an errno, positive or negative.
  system_error(int number, const std::string& text)
      : std::system_error(number < 0 ? -number : number, std::system_category(), text) {}
  explicit system_error(const std::string& text) : system_error(EINVAL, text) {}

  // The errno, positive.
  int get_code() const { return code().value(); }
  int get() const { return get_code(); }
};

}  // namespace xrt

// The name that XRT's own code gives such errors; programs that catch it find the same.
namespace xrt_core {

using system_error = xrt::system_error;

// What graphs and the array throw.
class XCL_DRIVER_DLLESPEC error : public system_error {
 public:
  using system_error::system_error;
};

}  // namespace xrt_core

#endif  // CONCLAVE_XRT_XRT_EXCEPTION_H_
