// SPDX-License-Identifier: Apache-2.0
// What the processes of hostile_test.cc do.
#ifndef CONCLAVE_TEST_SHARE_HOSTILE_ROLES_H_
#define CONCLAVE_TEST_SHARE_HOSTILE_ROLES_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

// The exit status of an honest client that OpenCL told an error.
inline constexpr int kClearError = 3;

//   honest SEED MS         runs kernels and uses buffers for so long, with every result checked and
//                          memory around that nobody else may change
//   idle                   runs a kernel, tells "ready" and waits for a line
//   vandal SEED NAME       attacks the segment NAME until stopped (vandal.h); counts the attacks
const std::map<std::string, Role>& hostile_roles();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_HOSTILE_ROLES_H_
