// SPDX-License-Identifier: Apache-2.0
// Processes that use XRT's C++ interface and do as they are told, step by step.
#ifndef CONCLAVE_TEST_SHARE_XRT_API_ROLES_H_
#define CONCLAVE_TEST_SHARE_XRT_API_ROLES_H_

#include <map>
#include <string>

#include "test/common/worker_process.h"

namespace conclave::test {

// Role "xrt": each line is a step, and is answered by "0" or the errno of the exception: "load A",
// "kernel vadd:{vadd_1} exclusive" (or shared), "drop" (the kernel), "run" (which checks the
// result), "ini KEY VALUE", "alone" (sets multiprocess to 0). "buffer 100" makes a buffer object of
// 100 ints, 0 to 99, and is answered by its descriptor; "import PID FD" and "inherit FD" take such
// a one of another process, and double what is in it; "sum" is answered by the sum of the buffer
// object.
const std::map<std::string, Role>& xrt_api_roles();

// The files of the xclbins: "A" and "B".
std::string xrt_xclbin_file(const std::string& name);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_XRT_API_ROLES_H_
