// SPDX-License-Identifier: Apache-2.0
#include "clients.h"
#include "test/common/worker_tests.h"

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::client_roles());
}
