// SPDX-License-Identifier: Apache-2.0
// Which image formats exist, and what the device can do with each.
#ifndef CONCLAVE_PLATFORM_MODEL_IMAGE_FORMAT_H_
#define CONCLAVE_PLATFORM_MODEL_IMAGE_FORMAT_H_

#include <CL/cl.h>

#include <vector>

#include "conclave/image_formats.h"

namespace conclave {

// Whether OpenCL defines this channel order and data type, and allows them together.
bool is_image_format(const cl_image_format& format);

// The device's format for images of `type`; null if it has none.
const ImageFormat* find_image_format(const cl_image_format& format, cl_mem_object_type type);

// All formats for images of `type` that kernels can access as `flags` say: CL_MEM_READ_ONLY,
// CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE (also without any flag), CL_MEM_KERNEL_READ_AND_WRITE.
std::vector<cl_image_format> supported_image_formats(cl_mem_flags flags, cl_mem_object_type type);

// Whether an image of this channel order can be a view of one of order `viewed`.
bool can_view_as(cl_channel_order order, cl_channel_order viewed);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_IMAGE_FORMAT_H_
