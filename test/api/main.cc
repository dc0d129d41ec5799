// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "child_process.h"

int main(int argc, char** argv) {
  setenv(conclave::test::kMark, std::to_string(getpid()).c_str(), 1);
  if (int status = conclave::test::run_child_entry(argc, argv); status >= 0) return status;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
