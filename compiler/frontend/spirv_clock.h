// SPDX-License-Identifier: Apache-2.0
// SPV_KHR_shader_clock, which Debian's translator does not know, and of which its validator knows fewer
// scopes than OpenCL has. It becomes calls of the functions of cl_khr_kernel_clock.
//
//   %t = OpReadClockKHR %ulong %scope
//   =>
//   OpDecorate %read LinkageAttributes "_Z17clock_read_devicev" Import
//   %read = OpFunction %ulong None %type
//   OpFunctionEnd
//   %t = OpFunctionCall %ulong %read
#ifndef CONCLAVE_COMPILER_FRONTEND_SPIRV_CLOCK_H_
#define CONCLAVE_COMPILER_FRONTEND_SPIRV_CLOCK_H_

#include <string>
#include <string_view>

namespace conclave::compiler {

// The module with calls instead. A module whose instructions are damaged is returned as it is.
std::string with_clock_calls(std::string_view module);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_FRONTEND_SPIRV_CLOCK_H_
