// SPDX-License-Identifier: Apache-2.0
// A colour as an element of an image.
#ifndef CONCLAVE_PLATFORM_MODEL_IMAGE_COLOR_H_
#define CONCLAVE_PLATFORM_MODEL_IMAGE_COLOR_H_

#include <array>
#include <cstddef>

#include "conclave/image_formats.h"

namespace conclave {

// `color` is that of clEnqueueFillImage: four cl_float, cl_int or cl_uint (red, green, blue, alpha)
// by the data type of the format, one cl_float for CL_DEPTH. The first format.element_size bytes of
// the result are the element. Values out of the channel's range saturate, others are rounded to the
// nearest, and colours of sRGB formats are encoded.
std::array<std::byte, 16> image_element(const ImageFormat& format, const void* color);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_IMAGE_COLOR_H_
