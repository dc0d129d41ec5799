// SPDX-License-Identifier: Apache-2.0
// Making images, right and wrong, and asking about them.
#include <algorithm>

#include "image_shapes.h"

namespace conclave::test {
namespace {

class ImageTest : public ApiTest {
 protected:
  template <typename T>
  static T image_info(cl_mem image, cl_image_info name) {
    return info<T>(clGetImageInfo, image, name);
  }
  template <typename T>
  static T memory_info(cl_mem image, cl_mem_info name) {
    return info<T>(clGetMemObjectInfo, image, name);
  }
  template <typename T>
  static T device_info(cl_device_info name) {
    return info<T>(clGetDeviceInfo, device(), name);
  }
  std::vector<cl_image_format> formats(cl_mem_flags flags, cl_mem_object_type type) {
    cl_uint count = 0;
    EXPECT_OK(clGetSupportedImageFormats(context_, flags, type, 0, nullptr, &count));
    std::vector<cl_image_format> list(count);
    EXPECT_OK(clGetSupportedImageFormats(context_, flags, type, count, list.data(), nullptr));
    return list;
  }
  // What making this image reports.
  cl_int creation_code(const cl_image_format& format, const cl_image_desc& desc,
                       cl_mem_flags flags = 0, void* host = nullptr) {
    cl_int code = 1;
    Image image(clCreateImage(context_, flags, &format, &desc, host, &code));
    EXPECT_EQ(code == CL_SUCCESS, image.get() != nullptr);
    return code;
  }
};

bool has(const std::vector<cl_image_format>& list, cl_channel_order order, cl_channel_type type) {
  return std::any_of(list.begin(), list.end(), [&](const cl_image_format& f) {
    return f.image_channel_order == order && f.image_channel_data_type == type;
  });
}

TEST_F(ImageTest, DeviceOffersAtLeastTheFullProfile) {
  EXPECT_TRUE(device_info<cl_bool>(CL_DEVICE_IMAGE_SUPPORT));
  EXPECT_LE(16384u, device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH));
  EXPECT_LE(16384u, device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_HEIGHT));
  EXPECT_LE(2048u, device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_WIDTH));
  EXPECT_LE(2048u, device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_HEIGHT));
  EXPECT_LE(2048u, device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_DEPTH));
  EXPECT_LE(65536u, device_info<size_t>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE));
  EXPECT_LE(2048u, device_info<size_t>(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
  EXPECT_LE(128u, device_info<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS));
  EXPECT_LE(64u, device_info<cl_uint>(CL_DEVICE_MAX_WRITE_IMAGE_ARGS));
  EXPECT_LE(64u, device_info<cl_uint>(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS));
  EXPECT_LE(16u, device_info<cl_uint>(CL_DEVICE_MAX_SAMPLERS));
  for (cl_device_info name :
       {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT}) {
    const cl_uint alignment = device_info<cl_uint>(name);
    EXPECT_TRUE(alignment && !(alignment & (alignment - 1))) << alignment;
  }
  const std::string extensions = device_text(device(), CL_DEVICE_EXTENSIONS) + " ";
  for (const char* name :
       {"cl_khr_image2d_from_buffer ", "cl_khr_depth_images ", "cl_khr_3d_image_writes "})
    EXPECT_NE(std::string::npos, extensions.find(name)) << name;
}

TEST_F(ImageTest, RequiredFormatsAreThere) {
  constexpr cl_channel_type kAny[] = {
      CL_UNORM_INT8,    CL_UNORM_INT16,    CL_SIGNED_INT8,    CL_SIGNED_INT16, CL_SIGNED_INT32,
      CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    for (cl_mem_flags flags : {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, 0}) {
      SCOPED_TRACE(flags);
      const auto list = formats(flags, shape.type);
      for (cl_channel_type type : kAny) EXPECT_TRUE(has(list, CL_RGBA, type)) << type;
      EXPECT_TRUE(has(list, CL_BGRA, CL_UNORM_INT8));
      const bool is_2d = shape.height && !shape.depth;
      for (cl_channel_type type : {CL_UNORM_INT16, CL_FLOAT})
        EXPECT_EQ(is_2d, has(list, CL_DEPTH, type)) << type;
    }
    const auto both = formats(CL_MEM_KERNEL_READ_AND_WRITE, shape.type);
    for (cl_channel_type type : kAny)
      for (cl_channel_order order : {CL_R, CL_RGBA})
        if (type != CL_UNORM_INT16) {
          EXPECT_TRUE(has(both, order, type)) << order << ' ' << type;
        }
    // Kernels read sRGB, they do not write it: cl_khr_srgb_image_writes is another extension.
    EXPECT_TRUE(has(formats(CL_MEM_READ_ONLY, shape.type), CL_sRGBA, CL_UNORM_INT8));
    EXPECT_FALSE(has(formats(CL_MEM_WRITE_ONLY, shape.type), CL_sRGBA, CL_UNORM_INT8));
  }
}

// Every format that is listed makes an image of every type, with elements of the right size.
TEST_F(ImageTest, ListedFormatsWork) {
  const auto channels = [](cl_channel_order order) -> size_t {
    switch (order) {
      case CL_RG:
      case CL_RA:
        return 2;
      case CL_RGBA:
      case CL_ARGB:
      case CL_BGRA:
      case CL_sRGBA:
        return 4;
      default:
        return 1;  // also CL_RGB, which is packed
    }
  };
  const auto size = [](cl_channel_type type) -> size_t {
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
  };
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    for (const cl_image_format& f : formats(CL_MEM_READ_ONLY, shape.type)) {
      SCOPED_TRACE(testing::Message() << f.image_channel_order << ' ' << f.image_channel_data_type);
      const size_t bytes = channels(f.image_channel_order) * size(f.image_channel_data_type);
      Image image = make_image(context_, shape, {f, bytes}, CL_MEM_READ_ONLY);
      const auto back = image_info<cl_image_format>(image, CL_IMAGE_FORMAT);
      EXPECT_EQ(f.image_channel_order, back.image_channel_order);
      EXPECT_EQ(f.image_channel_data_type, back.image_channel_data_type);
      EXPECT_EQ(bytes, image_info<size_t>(image, CL_IMAGE_ELEMENT_SIZE));
      EXPECT_EQ(bytes * shape.elements(), memory_info<size_t>(image, CL_MEM_SIZE));
    }
  }
}

TEST_F(ImageTest, BadFormatQueries) {
  cl_uint count;
  cl_image_format format;
  const auto query = [&](cl_mem_flags flags, cl_mem_object_type type, cl_uint entries) {
    return clGetSupportedImageFormats(context_, flags, type, entries, &format, &count);
  };
  constexpr cl_mem_flags kReadOnly = CL_MEM_READ_ONLY;
  expect_all({
      BAD(CL_INVALID_CONTEXT,
          clGetSupportedImageFormats(nullptr, 0, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count)),
      BAD(CL_INVALID_VALUE, query(1ull << 40, CL_MEM_OBJECT_IMAGE2D, 1)),
      BAD(CL_INVALID_VALUE, query(kReadOnly | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 1)),
      BAD(CL_INVALID_VALUE, query(kReadOnly, CL_MEM_OBJECT_BUFFER, 1)),
      BAD(CL_INVALID_VALUE, query(kReadOnly, CL_MEM_OBJECT_PIPE, 1)),
      BAD(CL_INVALID_VALUE, query(kReadOnly, CL_MEM_OBJECT_IMAGE2D, 0)),
  });
  // No more than there is room for.
  format = {};
  EXPECT_OK(query(kReadOnly, CL_MEM_OBJECT_IMAGE2D, 1));
  EXPECT_LT(1u, count);
  EXPECT_NE(0u, format.image_channel_order);
}

TEST_F(ImageTest, Queries) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    Image image = make_image(context_, shape, kRgba8, CL_MEM_WRITE_ONLY);
    const struct {
      cl_image_info name;
      InfoSize size;
    } kAll[] = {{CL_IMAGE_FORMAT, one<cl_image_format>}, {CL_IMAGE_ELEMENT_SIZE, one<size_t>},
                {CL_IMAGE_ROW_PITCH, one<size_t>},       {CL_IMAGE_SLICE_PITCH, one<size_t>},
                {CL_IMAGE_WIDTH, one<size_t>},           {CL_IMAGE_HEIGHT, one<size_t>},
                {CL_IMAGE_DEPTH, one<size_t>},           {CL_IMAGE_ARRAY_SIZE, one<size_t>},
                {CL_IMAGE_BUFFER, one<cl_mem>},          {CL_IMAGE_NUM_MIP_LEVELS, one<cl_uint>},
                {CL_IMAGE_NUM_SAMPLES, one<cl_uint>}};
    for (const auto& query : kAll) {
      SCOPED_TRACE(query.name);
      checked_info(
          [&](size_t size, void* value, size_t* size_ret) {
            return clGetImageInfo(image, query.name, size, value, size_ret);
          },
          query.size);
    }
    EXPECT_EQ(shape.width, image_info<size_t>(image, CL_IMAGE_WIDTH));
    EXPECT_EQ(shape.height, image_info<size_t>(image, CL_IMAGE_HEIGHT));
    EXPECT_EQ(shape.depth, image_info<size_t>(image, CL_IMAGE_DEPTH));
    EXPECT_EQ(shape.layers, image_info<size_t>(image, CL_IMAGE_ARRAY_SIZE));
    EXPECT_EQ(shape.width * 4, image_info<size_t>(image, CL_IMAGE_ROW_PITCH));
    EXPECT_EQ(!shape.has_slices() ? 0 : shape.width * 4 * std::max<size_t>(1, shape.height),
              image_info<size_t>(image, CL_IMAGE_SLICE_PITCH));
    EXPECT_EQ(0u, image_info<cl_uint>(image, CL_IMAGE_NUM_MIP_LEVELS));
    EXPECT_EQ(0u, image_info<cl_uint>(image, CL_IMAGE_NUM_SAMPLES));
    EXPECT_EQ(shape.type, memory_info<cl_mem_object_type>(image, CL_MEM_TYPE));
    EXPECT_EQ(cl_mem_flags{CL_MEM_WRITE_ONLY}, memory_info<cl_mem_flags>(image, CL_MEM_FLAGS));
    EXPECT_EQ(context_.get(), memory_info<cl_context>(image, CL_MEM_CONTEXT));
    EXPECT_EQ(nullptr, memory_info<void*>(image, CL_MEM_HOST_PTR));
    EXPECT_EQ(0u, memory_info<cl_uint>(image, CL_MEM_MAP_COUNT));
    EXPECT_EQ(0u, memory_info<size_t>(image, CL_MEM_OFFSET));
    EXPECT_EQ(1u, memory_info<cl_uint>(image, CL_MEM_REFERENCE_COUNT));
    const bool in_buffer = shape.type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    EXPECT_EQ(in_buffer, image_info<cl_mem>(image, CL_IMAGE_BUFFER) != nullptr);
    EXPECT_EQ(in_buffer, memory_info<cl_mem>(image, CL_MEM_ASSOCIATED_MEMOBJECT) != nullptr);
    EXPECT_CL(CL_INVALID_VALUE, clGetImageInfo(image, CL_MEM_TYPE, 0, nullptr, nullptr));
    EXPECT_OK(clRetainMemObject(image));
    EXPECT_EQ(2u, memory_info<cl_uint>(image, CL_MEM_REFERENCE_COUNT));
    EXPECT_OK(clReleaseMemObject(image));
  }
  expect_all({
      BAD(CL_INVALID_MEM_OBJECT, clGetImageInfo(nullptr, CL_IMAGE_FORMAT, 0, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT,
          clGetImageInfo(make_buffer(context_, 64), CL_IMAGE_FORMAT, 0, nullptr, nullptr)),
  });
}

// Pitches may be larger than necessary if the host has the data.
TEST_F(ImageTest, Pitches) {
  for (cl_mem_flags flags :
       {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR}) {
    SCOPED_TRACE(flags);
    for (const Shape& shape : kShapes) {
      if (shape.type == CL_MEM_OBJECT_IMAGE1D_BUFFER) continue;
      SCOPED_TRACE(shape.name);
      cl_image_desc desc = shape.desc();
      desc.image_row_pitch = (shape.width + 3) * 4;
      const size_t rows = std::max<size_t>(1, shape.height);
      if (shape.has_slices()) desc.image_slice_pitch = desc.image_row_pitch * (rows + 2);
      const size_t slices = std::max<size_t>({1, shape.depth, shape.layers});
      Bytes host(shape.has_slices() ? desc.image_slice_pitch * slices
                                    : desc.image_row_pitch * rows);
      for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i * 7);
      cl_int code = 1;
      Image image(clCreateImage(context_, flags, &kRgba8.format, &desc, host.data(), &code));
      ASSERT_OK(code);
      EXPECT_EQ(desc.image_row_pitch, image_info<size_t>(image, CL_IMAGE_ROW_PITCH));
      EXPECT_EQ(desc.image_slice_pitch, image_info<size_t>(image, CL_IMAGE_SLICE_PITCH));
      EXPECT_EQ(flags & CL_MEM_USE_HOST_PTR ? host.data() : nullptr,
                memory_info<void*>(image, CL_MEM_HOST_PTR));
      const Position origin = {2, shape.extent()[1] > 1 ? 1u : 0u, shape.extent()[2] > 1 ? 3u : 0u};
      const Position region = {1, 1, 1};
      unsigned char element[4];
      ASSERT_OK(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                                   element, 0, nullptr, nullptr));
      const size_t y_step = shape.is_1d_array() ? desc.image_slice_pitch : desc.image_row_pitch;
      const size_t at = origin[0] * 4 + origin[1] * y_step + origin[2] * desc.image_slice_pitch;
      for (size_t i = 0; i < 4; ++i) EXPECT_EQ(host[at + i], element[i]) << i;
    }
  }
}

TEST_F(ImageTest, OldEntryPoints) {
  cl_int code = 1;
  Bytes host(1024);
  Image flat(clCreateImage2D(context_, CL_MEM_COPY_HOST_PTR, &kRgba8.format, 5, 4, 28, host.data(),
                             &code));
  ASSERT_OK(code);
  EXPECT_EQ(cl_mem_object_type{CL_MEM_OBJECT_IMAGE2D},
            memory_info<cl_mem_object_type>(flat, CL_MEM_TYPE));
  EXPECT_EQ(28u, image_info<size_t>(flat, CL_IMAGE_ROW_PITCH));
  Image deep(clCreateImage3D(context_, CL_MEM_USE_HOST_PTR, &kRgba8.format, 5, 4, 3, 28, 28 * 5,
                             host.data(), &code));
  ASSERT_OK(code);
  EXPECT_EQ(cl_mem_object_type{CL_MEM_OBJECT_IMAGE3D},
            memory_info<cl_mem_object_type>(deep, CL_MEM_TYPE));
  EXPECT_EQ(3u, image_info<size_t>(deep, CL_IMAGE_DEPTH));
  EXPECT_EQ(28u * 5, image_info<size_t>(deep, CL_IMAGE_SLICE_PITCH));

  const cl_image_format* f = &kRgba8.format;
  const cl_image_format kNone = {CL_RGB, CL_FLOAT};
  void* h = host.data();
  const size_t kWide = device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH) + 1;
  const size_t kDeep = device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_DEPTH) + 1;
  const auto make2d = [&](cl_mem_flags flags, const cl_image_format* format, size_t width,
                          size_t height, size_t row, void* host_ptr, cl_int* err) {
    return clCreateImage2D(context_, flags, format, width, height, row, host_ptr, err);
  };
  const auto make3d = [&](size_t width, size_t height, size_t depth, size_t row, size_t slice,
                          void* host_ptr, cl_int* err) {
    return clCreateImage3D(context_, host_ptr ? CL_MEM_COPY_HOST_PTR : 0, f, width, height, depth,
                           row, slice, host_ptr, err);
  };
  constexpr cl_mem_flags kCopy = CL_MEM_COPY_HOST_PTR;
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateImage2D(nullptr, 0, f, 4, 4, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateImage3D(nullptr, 0, f, 4, 4, 4, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, make2d(1ull << 40, f, 4, 4, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, make2d(0, nullptr, 4, 4, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, make2d(0, &kNone, 4, 4, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make2d(0, f, 0, 4, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make2d(0, f, 4, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make2d(0, f, kWide, 1, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make2d(0, f, 4, 4, 16, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make2d(kCopy, f, 4, 4, 12, h, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make2d(kCopy, f, 4, 4, 18, h, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, make2d(kCopy, f, 4, 4, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, make2d(0, f, 4, 4, 0, h, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make3d(4, 4, 1, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make3d(4, 4, 0, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make3d(0, 4, 4, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make3d(4, 4, kDeep, 0, 0, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make3d(4, 4, 2, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make3d(4, 4, 2, 16, 48, h, err)),
      BAD_CREATE(CL_INVALID_IMAGE_SIZE, make3d(4, 4, 2, 16, 72, h, err)),
  });
}

TEST_F(ImageTest, BadArguments) {
  const cl_image_format* f = &kRgba8.format;
  const cl_image_desc good = k2d.desc();
  Bytes host(4096);
  void* h = host.data();
  const cl_mem_properties kNone[] = {0}, kUnknown[] = {1, 2, 0};
  const auto make = [&](cl_mem_flags flags, const cl_image_format* format,
                        const cl_image_desc* desc, void* host_ptr, cl_int* err) {
    return clCreateImage(context_, flags, format, desc, host_ptr, err);
  };
  constexpr cl_mem_flags kCopy = CL_MEM_COPY_HOST_PTR;
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateImage(nullptr, 0, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_CONTEXT,
                 clCreateImageWithProperties(nullptr, kNone, 0, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY,
                 clCreateImageWithProperties(context_, kUnknown, 0, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, make(1ull << 40, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, make(CL_MEM_KERNEL_READ_AND_WRITE, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 make(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 make(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, make(kCopy | CL_MEM_USE_HOST_PTR, f, &good, h, err)),
      BAD_CREATE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, make(0, nullptr, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_IMAGE_DESCRIPTOR, make(0, f, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, make(kCopy, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, make(CL_MEM_USE_HOST_PTR, f, &good, nullptr, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, make(0, f, &good, h, err)),
      BAD_CREATE(CL_INVALID_HOST_PTR, make(CL_MEM_ALLOC_HOST_PTR, f, &good, h, err)),
  });
  cl_int code = 1;
  Image image(clCreateImageWithProperties(context_, kNone, 0, f, &good, nullptr, &code));
  ASSERT_OK(code);
  EXPECT_EQ(cl_mem_properties{0}, memory_info<cl_mem_properties>(image, CL_MEM_PROPERTIES));
  size_t size = 99;
  Image plain(clCreateImageWithProperties(context_, nullptr, 0, f, &good, nullptr, &code));
  EXPECT_OK(clGetMemObjectInfo(plain, CL_MEM_PROPERTIES, 0, nullptr, &size));
  EXPECT_EQ(0u, size);
}

TEST_F(ImageTest, BadFormats) {
  const cl_image_format kInvalid[] = {{0, CL_UNORM_INT8},
                                      {CL_RGBA, 0},
                                      {CL_R, CL_UNORM_SHORT_565},
                                      {CL_RGBA, CL_UNORM_INT_101010},
                                      {CL_RGB, CL_UNORM_INT8},
                                      {CL_RGB, CL_FLOAT},
                                      {CL_BGRA, CL_FLOAT},
                                      {CL_ARGB, CL_UNORM_INT16},
                                      {CL_sRGBA, CL_FLOAT},
                                      {CL_DEPTH, CL_UNORM_INT8},
                                      {CL_INTENSITY, CL_SIGNED_INT8},
                                      {CL_LUMINANCE, CL_UNSIGNED_INT32},
                                      {CL_R, CL_UNORM_INT_101010_2}};
  for (const cl_image_format& format : kInvalid)
    EXPECT_CL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, creation_code(format, k2d.desc()))
        << format.image_channel_order << ' ' << format.image_channel_data_type;
  // What OpenCL has and the device does not list.
  const cl_channel_order kOrders[] = {CL_R,     CL_A,     CL_RG,    CL_RA,        CL_RGB,
                                      CL_RGBA,  CL_BGRA,  CL_ARGB,  CL_INTENSITY, CL_LUMINANCE,
                                      CL_Rx,    CL_RGx,   CL_RGBx,  CL_DEPTH,     CL_sRGB,
                                      CL_sRGBx, CL_sRGBA, CL_sBGRA, CL_ABGR};
  for (const Shape& shape : {k1d, k2d, k3d}) {
    const auto listed = formats(CL_MEM_READ_ONLY, shape.type);
    for (cl_channel_order order : kOrders)
      for (cl_channel_type type = CL_SNORM_INT8; type <= CL_UNORM_INT_101010_2; ++type) {
        const cl_int code = creation_code({order, type}, shape.desc());
        SCOPED_TRACE(testing::Message() << shape.name << ' ' << order << ' ' << type);
        if (has(listed, order, type))
          EXPECT_OK(code);
        else
          EXPECT_TRUE(code == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR ||
                      code == CL_IMAGE_FORMAT_NOT_SUPPORTED)
              << error_name(code);
      }
  }
  EXPECT_CL(CL_IMAGE_FORMAT_NOT_SUPPORTED, creation_code({CL_DEPTH, CL_FLOAT}, k3d.desc()));
  EXPECT_CL(CL_IMAGE_FORMAT_NOT_SUPPORTED, creation_code({CL_DEPTH, CL_FLOAT}, k1d.desc()));
}

TEST_F(ImageTest, BadSizes) {
  const size_t kWide = device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH);
  const size_t kHigh = device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  const size_t k3dWide = device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_WIDTH);
  const size_t k3dHigh = device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_HEIGHT);
  const size_t kDeep = device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_DEPTH);
  const size_t kLayers = device_info<size_t>(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
  constexpr cl_mem_object_type kArray = CL_MEM_OBJECT_IMAGE2D_ARRAY;
  const Shape kRefused[] = {
      {"1-D, no width", CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, 0},
      {"1-D, too wide", CL_MEM_OBJECT_IMAGE1D, kWide + 1, 0, 0, 0},
      {"1-D array, no images", CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0, 0},
      {"1-D array, too many", CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0, kLayers + 1},
      {"2-D, no width", CL_MEM_OBJECT_IMAGE2D, 0, 4, 0, 0},
      {"2-D, no height", CL_MEM_OBJECT_IMAGE2D, 4, 0, 0, 0},
      {"2-D, too wide", CL_MEM_OBJECT_IMAGE2D, kWide + 1, 1, 0, 0},
      {"2-D, too high", CL_MEM_OBJECT_IMAGE2D, 1, kHigh + 1, 0, 0},
      {"2-D array, no height", kArray, 4, 0, 0, 4},
      {"2-D array, no images", kArray, 4, 4, 0, 0},
      {"2-D array, too many", kArray, 1, 1, 0, kLayers + 1},
      {"3-D, no width", CL_MEM_OBJECT_IMAGE3D, 0, 4, 4, 0},
      {"3-D, no depth", CL_MEM_OBJECT_IMAGE3D, 4, 4, 0, 0},
      {"3-D, too wide", CL_MEM_OBJECT_IMAGE3D, k3dWide + 1, 1, 1, 0},
      {"3-D, too high", CL_MEM_OBJECT_IMAGE3D, 1, k3dHigh + 1, 1, 0},
      {"3-D, too deep", CL_MEM_OBJECT_IMAGE3D, 1, 1, kDeep + 1, 0},
  };
  for (const Shape& shape : kRefused)
    EXPECT_CL(CL_INVALID_IMAGE_SIZE, creation_code(kRgba8.format, shape.desc())) << shape.name;
  const Shape kLargest[] = {{"1-D", CL_MEM_OBJECT_IMAGE1D, kWide, 0, 0, 0},
                            {"1-D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 0, 0, kLayers},
                            {"2-D", CL_MEM_OBJECT_IMAGE2D, 1, kHigh, 0, 0},
                            {"2-D array", kArray, 1, 1, 0, kLayers},
                            {"3-D", CL_MEM_OBJECT_IMAGE3D, 1, 1, kDeep, 0},
                            {"3-D of one slice", CL_MEM_OBJECT_IMAGE3D, 1, 1, 1, 0}};
  for (const Shape& shape : kLargest)
    EXPECT_OK(creation_code(kRgba8.format, shape.desc())) << shape.name;
}

TEST_F(ImageTest, BadDescriptors) {
  Bytes host(8192);
  Buffer buffer = make_buffer(context_, 4096);
  const auto refused = [&](const Shape& shape, cl_mem_flags flags, const auto& change) {
    cl_image_desc desc = shape.desc();
    change(desc);
    EXPECT_CL(CL_INVALID_IMAGE_DESCRIPTOR,
              creation_code(kRgba8.format, desc, flags, flags ? host.data() : nullptr))
        << shape.name;
  };
  refused(k2d, 0, [](cl_image_desc& d) { d.image_type = CL_MEM_OBJECT_BUFFER; });
  refused(k2d, 0, [](cl_image_desc& d) { d.num_mip_levels = 1; });
  refused(k2d, 0, [](cl_image_desc& d) { d.num_samples = 1; });
  refused(k2d, 0, [](cl_image_desc& d) { d.image_row_pitch = 64; });
  refused(k3d, 0, [](cl_image_desc& d) { d.image_slice_pitch = 4096; });
  constexpr cl_mem_flags kCopy = CL_MEM_COPY_HOST_PTR;
  for (const Shape& shape : {k1d, k1dArray, k2d, k2dArray, k3d}) {
    refused(shape, kCopy, [](cl_image_desc& d) { d.image_row_pitch = 12 * 4; });
    refused(shape, kCopy, [](cl_image_desc& d) { d.image_row_pitch = 13 * 4 + 2; });
    refused(shape, kCopy, [](cl_image_desc& d) { d.image_row_pitch = SIZE_MAX; });
  }
  for (const Shape& shape : {k1dArray, k2dArray, k3d}) {
    refused(shape, kCopy, [](cl_image_desc& d) { d.image_slice_pitch = 12 * 4; });
    refused(shape, kCopy, [](cl_image_desc& d) { d.image_slice_pitch = 13 * 4 * 7 + 4; });
    refused(shape, kCopy, [](cl_image_desc& d) { d.image_slice_pitch = SIZE_MAX / 52 * 52; });
  }
  // From which objects images are made.
  refused(k1dBuffer, 0, [](cl_image_desc&) {});
  for (const Shape& shape : {k1d, k1dArray, k2dArray, k3d})
    refused(shape, 0, [&](cl_image_desc& d) { d.mem_object = buffer; });
  Image image = make_image(context_, k2d, kRgba8);
  for (const Shape& shape : {k1d, k1dBuffer, k1dArray, k2dArray, k3d})
    refused(shape, 0, [&](cl_image_desc& d) { d.mem_object = image; });
  if (is_conclave())
    refused(k2d, 0, [&](cl_image_desc& d) { d.mem_object = as<cl_mem>(queue_.get()); });
}

TEST_F(ImageTest, InBuffers) {
  Buffer buffer = make_buffer(context_, std::vector<int>(64, 0x01020304));
  cl_image_desc line = k1dBuffer.desc(), flat = k2d.desc();
  line.mem_object = flat.mem_object = buffer;
  line.image_width = 64;
  flat.image_width = 5;
  flat.image_height = 4;
  flat.image_row_pitch = 16 * 4;
  cl_int code = 1;
  Image row(clCreateImage(context_, 0, &kRgba8.format, &line, nullptr, &code));
  ASSERT_OK(code);
  Image rect(clCreateImage(context_, 0, &kRgba8.format, &flat, nullptr, &code));
  ASSERT_OK(code);
  EXPECT_EQ(buffer.get(), image_info<cl_mem>(row, CL_IMAGE_BUFFER));
  EXPECT_EQ(buffer.get(), image_info<cl_mem>(rect, CL_IMAGE_BUFFER));
  EXPECT_EQ(buffer.get(), memory_info<cl_mem>(rect, CL_MEM_ASSOCIATED_MEMOBJECT));
  EXPECT_EQ(64u, image_info<size_t>(rect, CL_IMAGE_ROW_PITCH));
  EXPECT_EQ(0u, image_info<size_t>(rect, CL_IMAGE_SLICE_PITCH));
  // They are the buffer's bytes.
  const size_t kAt[] = {3, 2, 0}, kOne[] = {1, 1, 1}, kSame[] = {2 * 16 + 3, 0, 0};
  const int written = 0x7a7b7c7d;
  int read = 0;
  EXPECT_OK(
      clEnqueueWriteImage(queue_, rect, CL_TRUE, kAt, kOne, 0, 0, &written, 0, nullptr, nullptr));
  EXPECT_EQ(written, contents(queue_, buffer, 64)[2 * 16 + 3]);
  EXPECT_OK(
      clEnqueueReadImage(queue_, row, CL_TRUE, kSame, kOne, 0, 0, &read, 0, nullptr, nullptr));
  EXPECT_EQ(written, read);

  // Tightly packed unless the descriptor says otherwise.
  flat.image_row_pitch = 0;
  Image tight(clCreateImage(context_, 0, &kRgba8.format, &flat, nullptr, &code));
  ASSERT_OK(code);
  EXPECT_EQ(20u, image_info<size_t>(tight, CL_IMAGE_ROW_PITCH));

  const auto made = [&](cl_image_desc desc, const auto& change) {
    change(desc);
    return creation_code(kRgba8.format, desc);
  };
  expect_all({
      BAD(CL_INVALID_IMAGE_SIZE, made(line, [](cl_image_desc& d) { d.image_width = 65; })),
      BAD(CL_INVALID_IMAGE_SIZE, made(line, [](cl_image_desc& d) { d.image_width = 0; })),
      BAD(CL_INVALID_IMAGE_SIZE, made(line, [](cl_image_desc& d) { d.image_width = SIZE_MAX; })),
      BAD(CL_INVALID_IMAGE_SIZE, made(flat, [](cl_image_desc& d) { d.image_height = 14; })),
      BAD(CL_INVALID_IMAGE_DESCRIPTOR, made(line, [](cl_image_desc& d) { d.image_row_pitch = 4; })),
      BAD(CL_INVALID_IMAGE_DESCRIPTOR,
          made(flat, [](cl_image_desc& d) { d.image_slice_pitch = 80; })),
      BAD(CL_INVALID_IMAGE_DESCRIPTOR,
          made(flat, [](cl_image_desc& d) { d.image_row_pitch = 16; })),
      BAD(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
          made(flat, [](cl_image_desc& d) { d.image_row_pitch = 22; })),
  });
  // A base address between two elements.
  std::vector<int> host(64);
  Buffer odd =
      make_buffer(context_, 200, CL_MEM_USE_HOST_PTR, reinterpret_cast<char*>(host.data()) + 1);
  flat.mem_object = odd;
  EXPECT_CL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, creation_code(kRgba8.format, flat));

  // The buffer lives as long as its images.
  buffer.reset();
  EXPECT_OK(
      clEnqueueReadImage(queue_, row, CL_TRUE, kSame, kOne, 0, 0, &read, 0, nullptr, nullptr));
  EXPECT_EQ(written, read);
}

TEST_F(ImageTest, InSubBuffers) {
  const size_t step = device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Buffer parent = make_buffer(context_, std::vector<int>(step, 1));
  const cl_buffer_region region = {step, 64};
  cl_int code = 1;
  Buffer sub(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  ASSERT_OK(code);
  cl_image_desc desc = k1dBuffer.desc();
  desc.mem_object = sub;
  Image image(clCreateImage(context_, 0, &kRgba8.format, &desc, nullptr, &code));
  ASSERT_OK(code);
  const size_t kAt[] = {1, 0, 0}, kOne[] = {1, 1, 1};
  const int value = 77;
  EXPECT_OK(
      clEnqueueWriteImage(queue_, image, CL_TRUE, kAt, kOne, 0, 0, &value, 0, nullptr, nullptr));
  EXPECT_EQ(77, contents(queue_, parent, step)[step / 4 + 1]);
  desc.image_width = 17;
  EXPECT_CL(CL_INVALID_IMAGE_SIZE, creation_code(kRgba8.format, desc));
  EXPECT_CL(CL_INVALID_MEM_OBJECT, [&] {
    cl_int err = 0;
    clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    return err;
  }());
}

// An image has the flags of its parent unless it asks for less.
TEST_F(ImageTest, FlagsOfTheStorage) {
  std::vector<int> host(64);
  const auto derived = [&](cl_mem_flags storage, cl_mem_flags flags, cl_mem_flags* result) {
    Buffer buffer =
        make_buffer(context_, 256, storage, storage & CL_MEM_USE_HOST_PTR ? host.data() : nullptr);
    cl_image_desc desc = k1dBuffer.desc();
    desc.mem_object = buffer;
    cl_int code = 1;
    Image image(clCreateImage(context_, flags, &kRgba8.format, &desc, nullptr, &code));
    if (image && result) *result = memory_info<cl_mem_flags>(image, CL_MEM_FLAGS);
    return code;
  };
  cl_mem_flags flags = 0;
  EXPECT_OK(derived(CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_USE_HOST_PTR, 0, &flags));
  EXPECT_EQ(cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_USE_HOST_PTR}, flags);
  EXPECT_OK(derived(CL_MEM_READ_WRITE, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, &flags));
  EXPECT_EQ(cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS}, flags);
  const auto refused = [&](cl_mem_flags storage, cl_mem_flags asked) {
    return derived(storage, asked, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_VALUE, refused(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY)),
      BAD(CL_INVALID_VALUE, refused(CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY)),
  });
}

// A view of a 2-D image with another channel order.
TEST_F(ImageTest, Views) {
  Image linear = make_image(context_, k2d, kRgba8);
  cl_image_desc desc = k2d.desc();
  desc.mem_object = linear;
  const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8};
  cl_int code = 1;
  Image view(clCreateImage(context_, CL_MEM_READ_ONLY, &srgb, &desc, nullptr, &code));
  ASSERT_OK(code);
  EXPECT_EQ(linear.get(), memory_info<cl_mem>(view, CL_MEM_ASSOCIATED_MEMOBJECT));
  EXPECT_EQ(nullptr, image_info<cl_mem>(view, CL_IMAGE_BUFFER));
  const size_t kAt[] = {4, 2, 0}, kOne[] = {1, 1, 1};
  const int written = 0x11223344;
  int read = 0;
  EXPECT_OK(
      clEnqueueWriteImage(queue_, linear, CL_TRUE, kAt, kOne, 0, 0, &written, 0, nullptr, nullptr));
  linear.reset();  // the view keeps it
  EXPECT_OK(clEnqueueReadImage(queue_, view, CL_TRUE, kAt, kOne, 0, 0, &read, 0, nullptr, nullptr));
  EXPECT_EQ(written, read);

  Image red = make_image(context_, k2d, {{CL_R, CL_FLOAT}, 4});
  desc.mem_object = red;
  EXPECT_OK(creation_code({CL_DEPTH, CL_FLOAT}, desc));
  EXPECT_CL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, creation_code({CL_DEPTH, CL_UNORM_INT16}, desc));
  EXPECT_CL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, creation_code({CL_A, CL_FLOAT}, desc));
  EXPECT_CL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, creation_code(srgb, desc));
  desc.image_width -= 1;
  EXPECT_CL(CL_INVALID_IMAGE_DESCRIPTOR, creation_code({CL_DEPTH, CL_FLOAT}, desc));
  desc.image_width += 1;
  desc.image_row_pitch = 56;
  EXPECT_CL(CL_INVALID_IMAGE_DESCRIPTOR, creation_code({CL_DEPTH, CL_FLOAT}, desc));
  Image deep = make_image(context_, k3d, kRgba8);
  desc = k2d.desc();
  desc.mem_object = deep;
  EXPECT_CL(CL_INVALID_IMAGE_DESCRIPTOR, creation_code(srgb, desc));
}

TEST_F(ImageTest, ObjectsOfAnotherContext) {
  Context other = make_context();
  Buffer foreign = make_buffer(other, 256);
  cl_image_desc desc = k1dBuffer.desc();
  desc.mem_object = foreign;
  EXPECT_CL(CL_INVALID_IMAGE_DESCRIPTOR, creation_code(kRgba8.format, desc));
}

struct Log {
  std::vector<int> calls;
  cl_mem image = nullptr;
};
struct Call {
  Log* log;
  int number;
};
void CL_CALLBACK on_destroyed(cl_mem image, void* data) {
  auto* call = static_cast<Call*>(data);
  EXPECT_EQ(call->log->image, image);
  call->log->calls.push_back(call->number);
}

TEST_F(ImageTest, DestructorCallbacks) {
  Log log;
  Call first{&log, 1}, second{&log, 2};
  Image image = make_image(context_, k2d, kRgba8);
  log.image = image;
  EXPECT_OK(clSetMemObjectDestructorCallback(image, on_destroyed, &first));
  EXPECT_OK(clSetMemObjectDestructorCallback(image, on_destroyed, &second));
  EXPECT_CL(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(image, nullptr, nullptr));
  EXPECT_TRUE(log.calls.empty());
  image.reset();
  EXPECT_EQ((std::vector<int>{2, 1}), log.calls);
}

}  // namespace
}  // namespace conclave::test
