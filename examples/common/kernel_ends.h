// SPDX-License-Identifier: Apache-2.0
// How kernels end that do not come to their end, as TI's platform tells it.
#ifndef CONCLAVE_EXAMPLES_COMMON_KERNEL_ENDS_H_
#define CONCLAVE_EXAMPLES_COMMON_KERNEL_ENDS_H_

#include <CL/opencl.hpp>
#include <cstdio>
#include <string>

namespace examples {

// The status of a kernel's event; Khronos' headers do not have these.
inline constexpr cl_int kKernelAborted = -7101;
inline constexpr cl_int kKernelExited = -7102;
inline constexpr cl_int kKernelTimedOut = -7103;

// Waits for a kernel and prints how it ended. Returns the number of errors: 1 if its status is
// not `expected`.
inline size_t expect_end(const std::string& name, const cl::Event& event, cl_int expected) {
  try {
    event.wait();
  } catch (const cl::Error&) {
    // The event's status says more.
  }
  const auto status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  if (status != expected) {
    std::printf("ERROR: %s: status %d, not %d\n", name.c_str(), status, expected);
    return 1;
  }
  const char* text = status == CL_COMPLETE      ? "finished"
                     : status == kKernelAborted ? "aborted"
                     : status == kKernelExited  ? "exited"
                                                : "terminated due to timeout";
  std::printf("%s %s\n", name.c_str(), text);
  return 0;
}

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_KERNEL_ENDS_H_
