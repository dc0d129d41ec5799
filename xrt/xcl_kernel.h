// SPDX-License-Identifier: Apache-2.0
// What XRT's interface reports about the kernels of an xclbin, and requires of them.
#ifndef CONCLAVE_XRT_XCL_KERNEL_H_
#define CONCLAVE_XRT_XCL_KERNEL_H_

#include <array>
#include <cstdint>
#include <string>

#include "platform/exec/nd_range.h"
#include "platform/loader/xclbin.h"
#include "xrt/xrt_conclave.h"

namespace conclave::xrt {

// `name`: "kernel", or "kernel:{unit,unit}" for some of its compute units. Throws Error{ENOENT}.
xclConclaveKernel describe_kernel(const Xclbin& xclbin, const std::string& name);
// Argument `index`. Throws Error{ENOENT}, and Error{EINVAL} if the kernel has fewer.
xclConclaveArgument describe_argument(const Xclbin& xclbin, const std::string& name,
                                      uint32_t index);

// The index space in the registers behind the arguments: three global sizes and three local ones;
// 0: the kernel chooses. Throws Error{EINVAL} if the kernel cannot have it.
IndexSpace index_space(const KernelInfo& kernel, const std::array<uint32_t, 6>& sizes);

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_XCL_KERNEL_H_
