// SPDX-License-Identifier: Apache-2.0
#include "platform/model/image.h"

#include <algorithm>

#include "conclave/image_channels.h"

namespace conclave {
namespace {

// Sizes in kernels are 1 if the image's type does not have them.
uint32_t at_least_one(size_t size) {
  return static_cast<uint32_t>(std::max<size_t>(1, size));
}

}  // namespace

Image::Image(const ImageFormat& format, const cl_image_desc& desc) : format_(&format), desc_(desc) {
  steps_ = {format.element_size, desc.image_row_pitch, desc.image_slice_pitch};
  extent_[0] = desc.image_width;
  switch (desc.image_type) {
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
      extent_[1] = desc.image_array_size;
      steps_[1] = desc.image_slice_pitch;
      break;
    case CL_MEM_OBJECT_IMAGE3D:
      extent_[1] = desc.image_height;
      extent_[2] = desc.image_depth;
      break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
      extent_[1] = desc.image_height;
      extent_[2] = desc.image_array_size;
      break;
    case CL_MEM_OBJECT_IMAGE2D:
      extent_[1] = desc.image_height;
      break;
    default:
      break;
  }
  argument_.row_pitch = desc.image_row_pitch;
  argument_.slice_pitch = desc.image_slice_pitch;
  argument_.width = at_least_one(desc.image_width);
  argument_.height = at_least_one(desc.image_height);
  argument_.depth = at_least_one(desc.image_depth);
  argument_.array_size = at_least_one(desc.image_array_size);
  argument_.channel_order = format.order;
  argument_.channel_data_type = format.data_type;
  argument_.element_size = format.element_size;
  argument_.channels = describe_channels(format.order, format.data_type);
}

size_t Image::bytes() const {
  if (has_slices(type()))
    return desc_.image_slice_pitch * std::max(desc_.image_depth, desc_.image_array_size);
  return desc_.image_row_pitch * std::max<size_t>(1, desc_.image_height);
}

}  // namespace conclave
