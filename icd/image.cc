// SPDX-License-Identifier: Apache-2.0
// Images.
#include <CL/cl_ext_conclave.h>

#include <algorithm>

#include "icd/entry.h"
#include "icd/external_memory.h"
#include "icd/memory_flags.h"
#include "platform/base/checked_size.h"
#include "platform/model/image_format.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

bool is_image_type(cl_mem_object_type type) {
  return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

bool has_height(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE3D;
}

bool is_array(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

// --- Format and descriptor ---

const ImageFormat& checked_format(const cl_image_format* format, cl_mem_object_type type) {
  require(format && is_image_format(*format), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
          "no image format, or a channel order and data type that do not go together");
  const ImageFormat* known = find_image_format(*format, type);
  if (!known)
    throw Error(CL_IMAGE_FORMAT_NOT_SUPPORTED,
                "the device has no images of this type with channel order " +
                    std::to_string(format->image_channel_order) + " and data type " +
                    std::to_string(format->image_channel_data_type));
  return *known;
}

// Members that the image's type does not use are ignored; they are 0 here.
cl_image_desc checked_desc(const cl_image_desc* given) {
  require(given && is_image_type(given->image_type), CL_INVALID_IMAGE_DESCRIPTOR,
          "no image descriptor, or an unknown image type");
  require(given->num_mip_levels == 0 && given->num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR,
          "num_mip_levels and num_samples have to be 0");
  cl_image_desc desc = *given;
  if (!has_height(desc.image_type)) desc.image_height = 0;
  if (desc.image_type != CL_MEM_OBJECT_IMAGE3D) desc.image_depth = 0;
  if (!is_array(desc.image_type)) desc.image_array_size = 0;
  return desc;
}

void check_dimension(const char* name, size_t size, size_t most) {
  if (size < 1 || size > most)
    throw Error(CL_INVALID_IMAGE_SIZE, std::string("an image ") + name + " of " +
                                           std::to_string(size) + ": 1 to " + std::to_string(most) +
                                           " are allowed");
}

void check_size(const cl_image_desc& desc) {
  const cl_mem_object_type type = desc.image_type;
  const bool is_3d = type == CL_MEM_OBJECT_IMAGE3D;
  const size_t row = type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? Device::kMaxImageBufferWidth
                     : is_3d                              ? Device::kMaxImage3dSize
                                                          : Device::kMaxImage2dSize;
  check_dimension("width", desc.image_width, row);
  if (has_height(type))
    check_dimension("height", desc.image_height,
                    is_3d ? Device::kMaxImage3dSize : Device::kMaxImage2dSize);
  if (is_3d) check_dimension("depth", desc.image_depth, Device::kMaxImage3dSize);
  if (is_array(type))
    check_dimension("array size", desc.image_array_size, Device::kMaxImageArraySize);
}

// Checks the pitches, and calculates those that are 0. `code`: the code for invalid ones.
void set_pitches(cl_image_desc& desc, size_t element_size, cl_int code) {
  const size_t row = desc.image_width * element_size;
  if (!desc.image_row_pitch) desc.image_row_pitch = row;
  require(desc.image_row_pitch >= row && desc.image_row_pitch % element_size == 0, code,
          "a row pitch less than the image's width, or no multiple of the element size");
  constexpr char kTooLarge[] = "pitches too large for any memory object";
  const size_t slice = (CheckedSize(desc.image_row_pitch) * std::max<size_t>(1, desc.image_height))
                           .value_or(code, kTooLarge);
  if (!has_slices(desc.image_type)) {
    desc.image_slice_pitch = 0;
    return;
  }
  if (!desc.image_slice_pitch) desc.image_slice_pitch = slice;
  require(desc.image_slice_pitch >= slice && desc.image_slice_pitch % desc.image_row_pitch == 0,
          code, "a slice pitch less than a slice, or no multiple of the row pitch");
  const size_t slices = std::max(desc.image_depth, desc.image_array_size);
  require((CheckedSize(desc.image_slice_pitch) * slices).fits(), code, kTooLarge);
}

// --- Images of their own, and images in the storage of a buffer or of another image ---

cl_mem make_image(Context& context, std::vector<cl_mem_properties> properties, cl_mem_flags flags,
                  const ImageFormat& format, cl_image_desc desc, void* host, cl_int pitch_error) {
  check_memory_flags(flags);
  require(!(flags & CL_MEM_USE_MSMC_TI), CL_INVALID_VALUE, "only buffers are in msmc_heap");
  check_size(desc);
  require(host || (!desc.image_row_pitch && !desc.image_slice_pitch), pitch_error,
          "pitches without a host pointer");
  set_pitches(desc, format.element_size, pitch_error);
  const Image image(format, desc);
  check_host_pointer(flags, host, image.bytes());
  return (new Memory(context, flags, image, host, std::move(properties)))->handle();
}

// The pitch of a single row means nothing, but programs give one.
void fit_into_buffer(cl_image_desc& desc, const ImageFormat& format, const Memory& buffer) {
  const bool is_2d = desc.image_type == CL_MEM_OBJECT_IMAGE2D;
  require(!desc.image_slice_pitch, CL_INVALID_IMAGE_DESCRIPTOR,
          "a slice pitch, which an image in a buffer does not have");
  check_size(desc);
  if (is_2d) {
    require(desc.image_row_pitch % (Device::kImagePitchAlignment * format.element_size) == 0,
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            "the row pitch is not a multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT elements");
    const auto address = reinterpret_cast<uintptr_t>(buffer.data());
    require(address % (Device::kImageBaseAddressAlignment * format.element_size) == 0,
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            "the buffer's host pointer is not aligned to CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT "
            "elements");
  }
  set_pitches(desc, format.element_size, CL_INVALID_IMAGE_DESCRIPTOR);
  const size_t bytes = desc.image_row_pitch * std::max<size_t>(1, desc.image_height);
  if (bytes > buffer.size())
    throw Error(CL_INVALID_IMAGE_SIZE, "an image of " + std::to_string(bytes) +
                                           " bytes in a buffer of " +
                                           std::to_string(buffer.size()));
}

// A view has the size and the pitches of the image, and another channel order.
void fit_into_image(cl_image_desc& desc, const ImageFormat& format, const Image& image) {
  const cl_image_desc& viewed = image.desc();
  const auto same_pitch = [](size_t given, size_t pitch) { return !given || given == pitch; };
  require(desc.image_type == CL_MEM_OBJECT_IMAGE2D && viewed.image_type == CL_MEM_OBJECT_IMAGE2D &&
              desc.image_width == viewed.image_width && desc.image_height == viewed.image_height &&
              same_pitch(desc.image_row_pitch, viewed.image_row_pitch) && !desc.image_slice_pitch,
          CL_INVALID_IMAGE_DESCRIPTOR,
          "a view of an image has to be 2-D, as the image is, and of the same size");
  require(format.data_type == image.format().data_type &&
              can_view_as(format.order, image.format().order),
          CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
          "an image of this format cannot be a view of one of that format");
  desc.image_row_pitch = viewed.image_row_pitch;
}

cl_mem make_derived_image(const Context& context, std::vector<cl_mem_properties> properties,
                          cl_mem_flags flags, const ImageFormat& format, cl_image_desc desc,
                          const void* host) {
  Memory* parent = Memory::from(desc.mem_object);
  require(parent && !parent->pipe() && &parent->context() == &context, CL_INVALID_IMAGE_DESCRIPTOR,
          "mem_object is no memory object of the context");
  require(desc.image_type == CL_MEM_OBJECT_IMAGE2D ||
              (desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER && !parent->image()),
          CL_INVALID_IMAGE_DESCRIPTOR, "images of this type are not made from such an object");
  check_derived_flags(flags, parent->flags());
  check_host_pointer(flags, host, 0);
  if (parent->image())
    fit_into_image(desc, format, *parent->image());
  else
    fit_into_buffer(desc, format, *parent);
  return (new Memory(*parent, flags, Image(format, desc), std::move(properties)))->handle();
}

cl_mem create_image(Context& context, std::vector<cl_mem_properties> properties, cl_mem_flags flags,
                    const cl_image_format* format, const cl_image_desc* given, void* host) {
  const cl_image_desc desc = checked_desc(given);
  const ImageFormat& known = checked_format(format, desc.image_type);
  if (desc.mem_object)
    return make_derived_image(context, std::move(properties), flags, known, desc, host);
  require(desc.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR,
          "a 1-D image buffer without a buffer");
  return make_image(context, std::move(properties), flags, known, desc, host,
                    CL_INVALID_IMAGE_DESCRIPTOR);
}

// An image in memory from outside: rows and slices at the given pitches, or one after the other.
cl_mem make_external_image(Context& context, MemoryProperties properties, cl_mem_flags flags,
                           const cl_image_format* format, const cl_image_desc* given,
                           const void* host) {
  cl_image_desc desc = checked_desc(given);
  const ImageFormat& known = checked_format(format, desc.image_type);
  require(!desc.mem_object && desc.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER,
          CL_INVALID_IMAGE_DESCRIPTOR, "an image in a memory object, and an external handle");
  return make_external(context, properties, flags, host, [&](SharedStorage storage) {
    check_size(desc);
    set_pitches(desc, known.element_size, CL_INVALID_IMAGE_DESCRIPTOR);
    const Image image(known, desc);
    if (image.bytes() > storage.size())
      throw Error(CL_INVALID_IMAGE_SIZE, "an image of " + std::to_string(image.bytes()) +
                                             " bytes in external memory of " +
                                             std::to_string(storage.size()));
    return (new Memory(context, flags, std::move(storage), image, properties.list))->handle();
  });
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context_handle, cl_mem_flags flags,
                                              const cl_image_format* format,
                                              const cl_image_desc* desc, void* host, cl_int* code) {
  return create(__func__, code, [&] {
    return create_image(context(context_handle), {}, flags, format, desc, host);
  });
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(
    cl_context context_handle, const cl_mem_properties* properties, cl_mem_flags flags,
    const cl_image_format* format, const cl_image_desc* desc, void* host, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(context_handle);
    MemoryProperties checked = memory_properties(properties, false);
    if (checked.descriptor)
      return make_external_image(c, std::move(checked), flags, format, desc, host);
    check_devices(c, checked);
    return create_image(c, std::move(checked.list), flags, format, desc, host);
  });
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context_handle, cl_mem_flags flags,
                                                const cl_image_format* format, size_t width,
                                                size_t height, size_t row_pitch, void* host,
                                                cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(context_handle);
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = row_pitch;
    return make_image(c, {}, flags, checked_format(format, desc.image_type), desc, host,
                      CL_INVALID_IMAGE_SIZE);
  });
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context_handle, cl_mem_flags flags,
                                                const cl_image_format* format, size_t width,
                                                size_t height, size_t depth, size_t row_pitch,
                                                size_t slice_pitch, void* host, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(context_handle);
    require(depth > 1, CL_INVALID_IMAGE_SIZE, "a 3-D image with less than 2 slices");
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth;
    desc.image_row_pitch = row_pitch;
    desc.image_slice_pitch = slice_pitch;
    return make_image(c, {}, flags, checked_format(format, desc.image_type), desc, host,
                      CL_INVALID_IMAGE_SIZE);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context handle, cl_mem_flags flags,
                                                           cl_mem_object_type type,
                                                           cl_uint num_entries,
                                                           cl_image_format* formats,
                                                           cl_uint* count) {
  return guarded(__func__, [&] {
    any_context(handle);
    check_image_format_flags(flags);
    require(is_image_type(type), CL_INVALID_VALUE, "not an image type");
    require(num_entries > 0 || !formats, CL_INVALID_VALUE, "room for 0 formats");
    const std::vector<cl_image_format> all = supported_image_formats(flags, type);
    if (formats) std::copy_n(all.begin(), std::min<size_t>(num_entries, all.size()), formats);
    if (count) *count = static_cast<cl_uint>(all.size());
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem handle, cl_image_info name, size_t size,
                                               void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Memory& m = image(handle);
    const ImageFormat& format = m.image()->format();
    const cl_image_desc& desc = m.image()->desc();
    Info info(size, value, size_ret);
    switch (name) {
      case CL_IMAGE_FORMAT:
        return info.value(cl_image_format{format.order, format.data_type});
      case CL_IMAGE_ELEMENT_SIZE:
        return info.value<size_t>(format.element_size);
      case CL_IMAGE_ROW_PITCH:
        return info.value<size_t>(desc.image_row_pitch);
      case CL_IMAGE_SLICE_PITCH:
        return info.value<size_t>(desc.image_slice_pitch);
      case CL_IMAGE_WIDTH:
        return info.value<size_t>(desc.image_width);
      case CL_IMAGE_HEIGHT:
        return info.value<size_t>(desc.image_height);
      case CL_IMAGE_DEPTH:
        return info.value<size_t>(desc.image_depth);
      case CL_IMAGE_ARRAY_SIZE:
        return info.value<size_t>(desc.image_array_size);
      case CL_IMAGE_BUFFER:
        return info.value<cl_mem>(m.parent() && !m.parent()->image() ? m.parent()->handle()
                                                                     : nullptr);
      case CL_IMAGE_NUM_MIP_LEVELS:
      case CL_IMAGE_NUM_SAMPLES:
        return info.value<cl_uint>(0);
      default:
        unknown_query(name);
    }
  });
}

}  // extern "C"
