// SPDX-License-Identifier: Apache-2.0
// The image formats of the device. clGetSupportedImageFormats lists what compiled kernels can read
// and write, since both sides take it from here.
#ifndef CONCLAVE_IMAGE_FORMATS_H_
#define CONCLAVE_IMAGE_FORMATS_H_

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace conclave {

// A format that kernels can read.
struct ImageFormat {
  cl_channel_order order;
  cl_channel_type data_type;
  uint32_t channels;      // that an element holds
  uint32_t element_size;  // bytes
  bool writable;          // by write_only images; false: for reading only
  bool read_write;        // by read_write images
};

// CL_DEPTH is for 2-D images and arrays of them, every other order for images of all types.
constexpr bool only_2d(const ImageFormat& format) {
  return format.order == CL_DEPTH;
}

namespace image_formats {

inline constexpr cl_channel_type kAllTypes[] = {
    CL_SNORM_INT8,     CL_SNORM_INT16,    CL_UNORM_INT8,   CL_UNORM_INT16,
    CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
    CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
inline constexpr cl_channel_type k8BitTypes[] = {CL_SNORM_INT8, CL_UNORM_INT8, CL_SIGNED_INT8,
                                                 CL_UNSIGNED_INT8};
inline constexpr cl_channel_type kRealTypes[] = {CL_SNORM_INT8,  CL_SNORM_INT16, CL_UNORM_INT8,
                                                 CL_UNORM_INT16, CL_HALF_FLOAT,  CL_FLOAT};
inline constexpr cl_channel_type kPackedTypes[] = {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555,
                                                   CL_UNORM_INT_101010};
inline constexpr cl_channel_type kDepthTypes[] = {CL_UNORM_INT16, CL_FLOAT};
inline constexpr cl_channel_type kSrgbTypes[] = {CL_UNORM_INT8};

// Bytes of a channel; of the whole element where its channels are packed.
constexpr uint32_t type_size(cl_channel_type type) {
  switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
      return 1;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
    case CL_UNORM_INT_101010:
      return 4;
    default:
      return 2;
  }
}

// What a device with read_write images must support for them.
constexpr bool in_read_write_minimum(cl_channel_order order, cl_channel_type type) {
  return (order == CL_R || order == CL_RGBA) && type != CL_SNORM_INT8 && type != CL_SNORM_INT16 &&
         type != CL_UNORM_INT16;
}

struct Builder {
  std::array<ImageFormat, 86> list{};
  size_t size = 0;

  template <size_t N>
  constexpr void add(cl_channel_order order, uint32_t channels, const cl_channel_type (&types)[N]) {
    for (cl_channel_type type : types) {
      const bool packed = order == CL_RGB;
      list[size++] = {order,
                      type,
                      channels,
                      type_size(type) * (packed ? 1 : channels),
                      order != CL_sRGBA,
                      in_read_write_minimum(order, type)};
    }
  }
};

}  // namespace image_formats

inline constexpr std::array kImageFormats = [] {
  using namespace image_formats;
  Builder formats;
  formats.add(CL_R, 1, kAllTypes);
  formats.add(CL_A, 1, kAllTypes);
  formats.add(CL_RG, 2, kAllTypes);
  formats.add(CL_RA, 2, kAllTypes);
  formats.add(CL_RGBA, 4, kAllTypes);
  formats.add(CL_RGB, 3, kPackedTypes);
  formats.add(CL_ARGB, 4, k8BitTypes);
  formats.add(CL_BGRA, 4, k8BitTypes);
  formats.add(CL_INTENSITY, 1, kRealTypes);
  formats.add(CL_LUMINANCE, 1, kRealTypes);
  formats.add(CL_DEPTH, 1, kDepthTypes);
  formats.add(CL_sRGBA, 4, kSrgbTypes);
  return formats.list;
}();
static_assert(kImageFormats.back().order == CL_sRGBA, "the list is larger than its formats");

}  // namespace conclave

#endif  // CONCLAVE_IMAGE_FORMATS_H_
