// SPDX-License-Identifier: Apache-2.0
// Processes that open the device's array and graphs in access modes and do as they are told, step
// by step.
#ifndef CONCLAVE_TEST_SHARE_ACCESS_ROLES_H_
#define CONCLAVE_TEST_SHARE_ACCESS_ROLES_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

// Role "access": each line is a step and is answered by a line, "0" or an errno: "load X"; "array
// primary" opens the array, "graph X 0 shared" graph gr[0] of xclbin X; "unarray primary" and
// "ungraph 0" close them; "drop primary" ends an object that has the array open without closing it
// first; "may array reset_array" and "may 0 run" ask whether the open mode permits an operation;
// "thread STEP" takes a step on another thread, "fork STEP" in a child process. "error" is answered
// by the text of the last failure.
//
// Role "opencl": "context primary" makes a context with an access mode, "context" one without,
// "context 7" one with a value that is none; "release" releases the last; the answers are OpenCL's
// error codes. "mode" is answered by the mode as clGetContextInfo gives it back, "told" by what the
// context's callback was told last.
const std::map<std::string, Role>& access_roles();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_ACCESS_ROLES_H_
