// SPDX-License-Identifier: Apache-2.0
// What XRT's interface tells and asks of the kernels of a device image.
#ifndef CONCLAVE_XRT_XCL_KERNEL_H_
#define CONCLAVE_XRT_XCL_KERNEL_H_

#include <array>
#include <cstdint>
#include <string>

#include "platform/exec/nd_range.h"
#include "platform/loader/device_image.h"
#include "xrt/xrt_conclave.h"

namespace conclave::xrt {

// `name`: "kernel", or "kernel:{unit,unit}" for some of its compute units. Throws Error{ENOENT}.
xclConclaveKernel describe_kernel(const DeviceImage& image, const std::string& name);
// Argument `index`. Throws Error{ENOENT}, Error{EINVAL} where the kernel has fewer.
xclConclaveArgument describe_argument(const DeviceImage& image, const std::string& name,
                                      uint32_t index);

// The index space that the registers behind the arguments tell: three global sizes, three local
// ones; 0 where the kernel is to choose. Throws Error{EINVAL} where it cannot have that.
IndexSpace index_space(const KernelInfo& kernel, const std::array<uint32_t, 6>& sizes);

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_XCL_KERNEL_H_
