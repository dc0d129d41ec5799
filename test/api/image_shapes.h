// SPDX-License-Identifier: Apache-2.0
// Images of every type, for the tests of images.
#ifndef CONCLAVE_TEST_API_IMAGE_SHAPES_H_
#define CONCLAVE_TEST_API_IMAGE_SHAPES_H_

#include <array>

#include "api_test.h"

namespace conclave::test {

using Image = Buffer;
using Bytes = std::vector<unsigned char>;
using Position = std::array<size_t, 3>;

// Sizes that the type does not have are 0.
struct Shape {
  const char* name;
  cl_mem_object_type type;
  size_t width, height, depth, layers;

  bool is_1d_array() const { return type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }
  bool has_slices() const { return depth || layers; }
  // As origin and region of a command count: an image of a 1-D array is at (x, image).
  Position extent() const {
    return {width,
            is_1d_array() ? layers
            : height      ? height
                          : 1,
            depth                      ? depth
            : layers && !is_1d_array() ? layers
                                       : 1};
  }
  size_t elements() const { return extent()[0] * extent()[1] * extent()[2]; }
  cl_image_desc desc() const {
    cl_image_desc desc = {};
    desc.image_type = type;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth;
    desc.image_array_size = layers;
    return desc;
  }
};

inline constexpr Shape k1d = {"1-D", CL_MEM_OBJECT_IMAGE1D, 13, 0, 0, 0};
inline constexpr Shape k1dBuffer = {"1-D buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, 13, 0, 0, 0};
inline constexpr Shape k1dArray = {"1-D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, 13, 0, 0, 5};
inline constexpr Shape k2d = {"2-D", CL_MEM_OBJECT_IMAGE2D, 13, 7, 0, 0};
inline constexpr Shape k2dArray = {"2-D array", CL_MEM_OBJECT_IMAGE2D_ARRAY, 13, 7, 0, 5};
inline constexpr Shape k3d = {"3-D", CL_MEM_OBJECT_IMAGE3D, 13, 7, 5, 0};
inline constexpr Shape kShapes[] = {k1d, k1dBuffer, k1dArray, k2d, k2dArray, k3d};

// A format with the bytes of an element.
struct Format {
  cl_image_format format;
  size_t bytes;
};
inline constexpr Format kRgba8 = {{CL_RGBA, CL_UNORM_INT8}, 4};

// An image of this shape; of a 1-D buffer, in a buffer that lives as long as the image.
inline Image make_image(cl_context context, const Shape& shape, const Format& format,
                        cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
  cl_image_desc desc = shape.desc();
  Buffer storage;
  if (shape.type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
    storage = make_buffer(context, shape.width * format.bytes, flags, host);
    desc.mem_object = storage;
    flags = 0;
    host = nullptr;
  }
  cl_int code = 1;
  Image image(clCreateImage(context, flags, &format.format, &desc, host, &code));
  EXPECT_OK(code) << shape.name;
  return image;
}

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_IMAGE_SHAPES_H_
