// SPDX-License-Identifier: Apache-2.0
// Processes that use xclbins and do as they are told, step by step.
#ifndef CONCLAVE_TEST_SHARE_XCLBIN_ROLES_H_
#define CONCLAVE_TEST_SHARE_XCLBIN_ROLES_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

// Role "xcl": each line is a step with XRT's C interface, and is answered by a line, "0" or a
// negative errno: "open", "close", "load X", "context X 0 shared", "uncontext X 0", "exec 0" (which
// checks the result), "wait", "again" (the last command), "fork STEP" (in a child process), "forge
// N" (the segment's number of compute units). "error" is answered by the text of the last failure.
//
// Role "opencl": "load X" makes a program, "kernel vadd:{vadd_1}" a kernel, "run" runs and checks
// it, "run 1" the same on the second of sub-devices with one compute unit each, "rebuild" builds
// the program; "unkernel", "unload"; the answers are OpenCL's error codes. "told" is answered by
// what the context's callback was told last, "log" by the build log, in one line, "names" by the
// kernels' names, "binary" by 0 where CL_PROGRAM_BINARIES gives the xclbin's file, "count" by
// CL_KERNEL_COMPUTE_UNIT_COUNT.
const std::map<std::string, Role>& xclbin_roles();

// The files of the xclbins, by name: X and Y.
std::string xclbin_file(const std::string& name);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_XCLBIN_ROLES_H_
