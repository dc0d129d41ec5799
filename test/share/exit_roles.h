// SPDX-License-Identifier: Apache-2.0
// What the processes of exit_test.cc do. Each checks the results of all its kernels, and ends with
// status 1 if one is wrong.
#ifndef CONCLAVE_TEST_SHARE_EXIT_ROLES_H_
#define CONCLAVE_TEST_SHARE_EXIT_ROLES_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

//   late-finish COUNT          queues so many kernels and returns from main(); the destructor of a
//                              static object finishes the queue
//   exit-handler before|after  uses OpenCL, and again from an exit handler that was registered
//                              before the first use, or after it
//   short                      runs some kernels and ends
//   stay COUNT                 runs so many kernels, tells "ready" and waits for a line
//   stream GROUPS STEPS        tells "ready", then runs kernels until stopped
//   stop-in-heap-lock          tells "ready", stops inside the lock of the heaps, and then
//                              allocates and frees a block
const std::map<std::string, Role>& exit_roles();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_EXIT_ROLES_H_
