// SPDX-License-Identifier: Apache-2.0
#include "platform/model/image_format.h"

#include <algorithm>
#include <utility>

namespace conclave {
namespace {

bool is_integer(cl_channel_type type) {
  return type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32;
}

bool is_8_bit(cl_channel_type type) {
  return type == CL_SNORM_INT8 || type == CL_UNORM_INT8 || type == CL_SIGNED_INT8 ||
         type == CL_UNSIGNED_INT8;
}

bool is_for_2d(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

bool has_access(const ImageFormat& format, cl_mem_flags flags) {
  if (flags & CL_MEM_KERNEL_READ_AND_WRITE) return format.read_write;
  return format.writable || (flags & CL_MEM_READ_ONLY);
}

}  // namespace

bool is_image_format(const cl_image_format& format) {
  const cl_channel_type type = format.image_channel_data_type;
  if (type < CL_SNORM_INT8 || type > CL_UNORM_INT_101010_2) return false;
  const bool packed_rgb =
      type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010;
  if (type == CL_UNORM_INT24) return false;  // of cl_khr_gl_depth_images
  switch (format.image_channel_order) {
    case CL_RGB:
    case CL_RGBx:
      return packed_rgb;
    case CL_RGBA:
      return !packed_rgb;
    case CL_R:
    case CL_A:
    case CL_Rx:
    case CL_RG:
    case CL_RA:
    case CL_RGx:
      return !packed_rgb && type != CL_UNORM_INT_101010_2;
    case CL_ARGB:
    case CL_BGRA:
    case CL_ABGR:
      return is_8_bit(type);
    case CL_INTENSITY:
    case CL_LUMINANCE:
      return !packed_rgb && type != CL_UNORM_INT_101010_2 && !is_integer(type);
    case CL_DEPTH:
      return type == CL_UNORM_INT16 || type == CL_FLOAT;
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
      return type == CL_UNORM_INT8;
    default:
      return false;
  }
}

const ImageFormat* find_image_format(const cl_image_format& format, cl_mem_object_type type) {
  const auto found =
      std::find_if(kImageFormats.begin(), kImageFormats.end(), [&](const ImageFormat& f) {
        return f.order == format.image_channel_order &&
               f.data_type == format.image_channel_data_type;
      });
  if (found == kImageFormats.end() || (only_2d(*found) && !is_for_2d(type))) return nullptr;
  return &*found;
}

std::vector<cl_image_format> supported_image_formats(cl_mem_flags flags, cl_mem_object_type type) {
  std::vector<cl_image_format> list;
  for (const ImageFormat& format : kImageFormats)
    if (has_access(format, flags) && (is_for_2d(type) || !only_2d(format)))
      list.push_back({format.order, format.data_type});
  return list;
}

bool can_view_as(cl_channel_order order, cl_channel_order viewed) {
  constexpr std::pair<cl_channel_order, cl_channel_order> kSameLayout[] = {
      {CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_sRGB, CL_RGB}, {CL_sRGBx, CL_RGBx}};
  for (auto [srgb, linear] : kSameLayout)
    if ((order == srgb && viewed == linear) || (order == linear && viewed == srgb)) return true;
  return order == CL_DEPTH && viewed == CL_R;
}

}  // namespace conclave
