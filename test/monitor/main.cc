// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "clients.h"
#include "test/common/worker_process.h"

int main(int argc, char** argv) {
  const int status = conclave::test::run_role(argc, argv, conclave::test::client_roles());
  if (status >= 0) return status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
