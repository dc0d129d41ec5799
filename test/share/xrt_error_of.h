// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_SHARE_XRT_ERROR_OF_H_
#define CONCLAVE_TEST_SHARE_XRT_ERROR_OF_H_

#include <gtest/gtest.h>

#include <string>

#include "xrt/xrt_exception.h"

namespace conclave::test {

// The errno of what `body` throws; 0 if it throws nothing. `text` has to be in the message.
template <class Body>
int error_of(Body body, const std::string& text = "") {
  try {
    body();
  } catch (const xrt::system_error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    return error.get_code();
  }
  return 0;
}

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_XRT_ERROR_OF_H_
