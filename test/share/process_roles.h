// SPDX-License-Identifier: Apache-2.0
// What the processes of process_stress_test.cc do. Each checks the results of all its kernels, and
// ends with status 1 if one is wrong.
#ifndef CONCLAVE_TEST_SHARE_PROCESS_ROLES_H_
#define CONCLAVE_TEST_SHARE_PROCESS_ROLES_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

//   device                         tells platform, number of compute units and extensions, a line
//   each launches COUNT GROUPS STEPS    runs so many kernels, one after the other, and ends mix
//   SEED                       runs kernels and uses buffers of random sizes until stopped stream
//   GROUPS STEPS PRIORITY   tells "ready", waits for a line, then runs kernels back to back
//                                  until stopped, on a queue of cl_khr_priority_hints' priority
const std::map<std::string, Role>& process_roles();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_PROCESS_ROLES_H_
