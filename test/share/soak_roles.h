// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_SHARE_SOAK_ROLES_H_
#define CONCLAVE_TEST_SHARE_SOAK_ROLES_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

// The roles of process_roles.h, and until stopped:
//   faults SEED    kernels that fault, each followed by a healthy one
//   gangs SEED     kernels whose work-groups wait for each other, each followed by an ordinary one
const std::map<std::string, Role>& soak_roles();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_SOAK_ROLES_H_
