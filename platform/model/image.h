// SPDX-License-Identifier: Apache-2.0
// What makes a memory object an image: its type, format, size and pitches. The Memory that it
// belongs to has the bytes.
#ifndef CONCLAVE_PLATFORM_MODEL_IMAGE_H_
#define CONCLAVE_PLATFORM_MODEL_IMAGE_H_

#include <CL/cl.h>

#include <array>
#include <cstddef>

#include "conclave/image_formats.h"
#include "conclave/kernel_abi.h"

namespace conclave {

// Images of these types have slices: those of a 3-D image, or the images of an array.
constexpr bool has_slices(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

class Image {
 public:
  // `desc` has been checked. Its pitches are set (the slice pitch is 0 without slices), and members
  // that its type does not use are 0.
  Image(const ImageFormat& format, const cl_image_desc& desc);

  const ImageFormat& format() const { return *format_; }
  const cl_image_desc& desc() const { return desc_; }
  cl_mem_object_type type() const { return desc_.image_type; }

  // In the coordinates of commands. The position of an element is (x, y, z), (x, y, image) or (x,
  // image); steps are the bytes from one position to the next in each coordinate.
  const std::array<size_t, 3>& extent() const { return extent_; }
  const std::array<size_t, 3>& steps() const { return steps_; }
  size_t offset(const std::array<size_t, 3>& position) const {
    return position[0] * steps_[0] + position[1] * steps_[1] + position[2] * steps_[2];
  }
  // Size of the data store, with the parts that the pitches leave unused.
  size_t bytes() const;

  // Sets the place of the data store.
  void place(std::byte* data) { argument_.data = data; }
  // The image as kernels see it.
  const abi::Image& argument() const { return argument_; }

 private:
  const ImageFormat* format_;
  cl_image_desc desc_;
  std::array<size_t, 3> extent_{1, 1, 1};
  std::array<size_t, 3> steps_{};
  abi::Image argument_{};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_IMAGE_H_
