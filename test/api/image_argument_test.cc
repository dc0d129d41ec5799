// SPDX-License-Identifier: Apache-2.0
// Images and samplers as arguments of kernels: which are taken, and that kernels get what was set.
#include "image_shapes.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
kernel void types(read_only image1d_t a, read_only image1d_buffer_t b, read_only image1d_array_t c,
                  read_only image2d_t d, read_only image2d_array_t e, read_only image3d_t f,
                  read_only image2d_depth_t g, read_only image2d_array_depth_t h) {}
typedef image2d_t picture;
kernel void named(picture p) {}
kernel void access(read_only image2d_t r, write_only image2d_t w, read_write image2d_t rw) {}
kernel void sampled(read_only image2d_t from, sampler_t how, global float4* out) {
  out[get_global_id(0)] = read_imagef(from, how, (float2)(get_global_id(0) / 4.0f, 0.5f));
}
kernel void sizes(read_only image3d_t a, read_only image2d_array_t b, read_only image1d_array_t c,
                  global int* out) {
  out[0] = get_image_width(a); out[1] = get_image_height(a); out[2] = get_image_depth(a);
  out[3] = get_image_width(b); out[4] = get_image_height(b); out[5] = (int)get_image_array_size(b);
  out[6] = get_image_width(c); out[7] = (int)get_image_array_size(c);
  out[8] = get_image_channel_order(a) == CLK_RGBA;
  out[9] = get_image_channel_data_type(a) == CLK_UNORM_INT8;
}
kernel void copy(read_only image2d_t from, write_only image2d_t to) {
  int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  write_imageui(to, at, read_imageui(from, at) + 1);
}
kernel void twice(read_write image2d_t image) {
  int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  write_imageui(image, at, read_imageui(image, at) * 2);
}
)";

constexpr Format kCounts = {{CL_R, CL_UNSIGNED_INT32}, 4};

class ImageArgumentTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    own_ = build(context_, kSource, "-cl-std=CL3.0");
  }
  static cl_int set(cl_kernel kernel, cl_uint index, cl_mem memory) {
    return clSetKernelArg(kernel, index, sizeof memory, &memory);
  }
  static cl_int set(cl_kernel kernel, cl_uint index, cl_sampler sampler) {
    return clSetKernelArg(kernel, index, sizeof sampler, &sampler);
  }
  Owned<cl_sampler> sampler(cl_bool normalized, cl_addressing_mode addressing,
                            cl_filter_mode filter) {
    cl_int code = 1;
    Owned<cl_sampler> made(clCreateSampler(context_, normalized, addressing, filter, &code));
    EXPECT_OK(code);
    return made;
  }
  void launch(cl_kernel kernel, size_t width, size_t height = 1) {
    const size_t global[] = {width, height};
    EXPECT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, nullptr, 0, nullptr, nullptr));
  }
  std::vector<cl_uint> counts(cl_mem image, const Shape& shape) {
    std::vector<cl_uint> data(shape.elements());
    const Position origin = {0, 0, 0}, region = shape.extent();
    EXPECT_OK(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), region.data(), 0, 0,
                                 data.data(), 0, nullptr, nullptr));
    return data;
  }
  Program own_;
};

TEST_F(ImageArgumentTest, TypesHaveToMatch) {
  Kernel types = make_kernel(own_, "types");
  constexpr Shape kWanted[] = {k1d, k1dBuffer, k1dArray, k2d, k2dArray, k3d};
  for (const Shape& shape : kShapes) {
    Image image = make_image(context_, shape, kRgba8);
    for (cl_uint i = 0; i < std::size(kWanted); ++i)
      EXPECT_CL(kWanted[i].type == shape.type ? CL_SUCCESS : CL_INVALID_MEM_OBJECT,
                set(types, i, image))
          << shape.name << " for " << kWanted[i].name;
    // Depth images need the channel as well.
    for (cl_uint i : {6, 7}) EXPECT_CL(CL_INVALID_MEM_OBJECT, set(types, i, image)) << shape.name;
  }
  constexpr Format kDepth = {{CL_DEPTH, CL_FLOAT}, 4};
  Image depth = make_image(context_, k2d, kDepth), layers = make_image(context_, k2dArray, kDepth);
  EXPECT_OK(set(types, 6, depth));
  EXPECT_OK(set(types, 7, layers));
  EXPECT_CL(CL_INVALID_MEM_OBJECT, set(types, 7, depth));
  EXPECT_CL(CL_INVALID_MEM_OBJECT, set(types, 6, layers));
}

TEST_F(ImageArgumentTest, TypesMayHaveOtherNames) {
  Kernel named = make_kernel(own_, "named");
  Image image = make_image(context_, k2d, kRgba8);
  EXPECT_OK(set(named, 0, image));
}

TEST_F(ImageArgumentTest, AccessHasToMatch) {
  Kernel access = make_kernel(own_, "access");
  const struct {
    cl_mem_flags flags;
    cl_int read_only, write_only, read_write;
  } kCases[] = {
      {CL_MEM_READ_WRITE, CL_SUCCESS, CL_SUCCESS, CL_SUCCESS},
      {CL_MEM_READ_ONLY, CL_SUCCESS, CL_INVALID_ARG_VALUE, CL_INVALID_ARG_VALUE},
      {CL_MEM_WRITE_ONLY, CL_INVALID_ARG_VALUE, CL_SUCCESS, CL_INVALID_ARG_VALUE},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.flags);
    Image image = make_image(context_, k2d, kRgba8, c.flags);
    EXPECT_CL(c.read_only, set(access, 0, image));
    EXPECT_CL(c.write_only, set(access, 1, image));
    EXPECT_CL(c.read_write, set(access, 2, image));
  }
  // Formats that clGetSupportedImageFormats lists for some kinds of access only.
  Image srgb = make_image(context_, k2d, {{CL_sRGBA, CL_UNORM_INT8}, 4});
  EXPECT_OK(set(access, 0, srgb));
  EXPECT_CL(CL_INVALID_MEM_OBJECT, set(access, 1, srgb));
  Image luminance = make_image(context_, k2d, {{CL_LUMINANCE, CL_UNORM_INT8}, 1});
  EXPECT_OK(set(access, 1, luminance));
  EXPECT_CL(CL_INVALID_MEM_OBJECT, set(access, 2, luminance));
}

TEST_F(ImageArgumentTest, BadArguments) {
  Kernel sampled = make_kernel(own_, "sampled");
  Image image = make_image(context_, k2d, kRgba8);
  Buffer buffer = make_buffer(context_, 64);
  Context other = make_context();
  Image foreign = make_image(other, k2d, kRgba8);
  cl_int code = 1;
  Owned<cl_sampler> foreign_sampler(
      clCreateSampler(other, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code));
  Owned<cl_sampler> good = sampler(CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  cl_mem none = nullptr;
  cl_sampler no_sampler = nullptr;
  constexpr size_t kHandle = sizeof(void*);
  const auto refused = [](cl_int status, cl_int one, cl_int other_code) {
    return status == one || status == other_code;
  };
  expect_all({
      BAD(CL_INVALID_MEM_OBJECT, clSetKernelArg(sampled, 0, kHandle, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, clSetKernelArg(sampled, 0, kHandle, &none)),
      BAD(CL_INVALID_MEM_OBJECT, set(sampled, 0, buffer)),
      BAD(CL_INVALID_MEM_OBJECT, set(sampled, 2, image)),
      BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(sampled, 0, kHandle - 4, image.list())),
      BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(sampled, 0, kHandle + 1, image.list())),
      BAD(CL_INVALID_ARG_SIZE, clSetKernelArg(sampled, 1, 4, good.list())),
      BAD(CL_INVALID_SAMPLER, clSetKernelArg(sampled, 1, kHandle, nullptr)),
      BAD(CL_INVALID_SAMPLER, clSetKernelArg(sampled, 1, kHandle, &no_sampler)),
  });
  // Both codes are right: the second is of the specification's later versions.
  EXPECT_TRUE(refused(set(sampled, 0, foreign), CL_INVALID_MEM_OBJECT, CL_INVALID_CONTEXT));
  EXPECT_TRUE(
      refused(set(sampled, 1, foreign_sampler.get()), CL_INVALID_SAMPLER, CL_INVALID_CONTEXT));
  if (is_conclave()) {
    EXPECT_CL(CL_INVALID_MEM_OBJECT, set(sampled, 0, as<cl_mem>(good.get())));
    EXPECT_CL(CL_INVALID_SAMPLER, set(sampled, 1, as<cl_sampler>(image.get())));
  }
  const size_t global = 1;
  EXPECT_CL(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue_, sampled, 1, nullptr, &global,
                                                           nullptr, 0, nullptr, nullptr));
}

TEST_F(ImageArgumentTest, KernelsTellTheirArguments) {
  Kernel access = make_kernel(own_, "access");
  const cl_kernel_arg_access_qualifier kAccess[] = {CL_KERNEL_ARG_ACCESS_READ_ONLY,
                                                    CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                                                    CL_KERNEL_ARG_ACCESS_READ_WRITE};
  for (cl_uint i = 0; i < 3; ++i) {
    cl_kernel_arg_access_qualifier qualifier = 0;
    char name[32] = {};
    EXPECT_OK(clGetKernelArgInfo(access, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof qualifier,
                                 &qualifier, nullptr));
    EXPECT_OK(clGetKernelArgInfo(access, i, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, nullptr));
    EXPECT_EQ(kAccess[i], qualifier);
    EXPECT_STREQ("image2d_t", name);
  }
}

TEST_F(ImageArgumentTest, KernelsSeeTheSizes) {
  Kernel sizes = make_kernel(own_, "sizes");
  Image deep = make_image(context_, k3d, kRgba8), layers = make_image(context_, k2dArray, kRgba8),
        lines = make_image(context_, k1dArray, kRgba8);
  Buffer out = make_buffer(context_, std::vector<int>(10, -1));
  ASSERT_OK(set(sizes, 0, deep));
  ASSERT_OK(set(sizes, 1, layers));
  ASSERT_OK(set(sizes, 2, lines));
  ASSERT_OK(set(sizes, 3, out));
  launch(sizes, 1);
  EXPECT_EQ((std::vector<int>{13, 7, 5, 13, 7, 5, 13, 5, 1, 1}), contents(queue_, out, 10));
}

TEST_F(ImageArgumentTest, SamplersArrive) {
  Kernel sampled = make_kernel(own_, "sampled");
  const Shape shape = {"2-D", CL_MEM_OBJECT_IMAGE2D, 2, 1, 0, 0};
  float texels[8] = {1, 1, 1, 1, 2, 2, 2, 2};
  Image image =
      make_image(context_, shape, {{CL_RGBA, CL_FLOAT}, 16}, CL_MEM_COPY_HOST_PTR, texels);
  Buffer out = make_buffer(context_, 8 * 16);
  ASSERT_OK(set(sampled, 0, image));
  ASSERT_OK(set(sampled, 2, out));
  const struct {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    float expected[8];  // at x = 0, 1/4, 1/2, ...
  } kCases[] = {
      {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, {1, 1, 1, 1, 2, 2, 2, 2}},
      {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, {1, 1, 2, 2, 0, 0, 0, 0}},
      {CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, {1, 1, 2, 2, 2, 2, 2, 2}},
      {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, {1, 1, 2, 2, 1, 1, 2, 2}},
      {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, {1, 1, 2, 2, 2, 2, 2, 1}},
      {CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, {1, 1, 1.5f, 2, 2, 2, 2, 2}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.normalized << ' ' << c.addressing << ' ' << c.filter);
    Owned<cl_sampler> how = sampler(c.normalized, c.addressing, c.filter);
    ASSERT_OK(set(sampled, 1, how.get()));
    how.reset();  // an argument is a copy
    launch(sampled, 8);
    float results[8][4];
    ASSERT_OK(
        clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, sizeof results, results, 0, nullptr, nullptr));
    for (int i = 0; i < 8; ++i) EXPECT_EQ(c.expected[i], results[i][0]) << i;
  }
}

TEST_F(ImageArgumentTest, KernelsReadAndWrite) {
  std::vector<cl_uint> data(k2d.elements());
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<cl_uint>(i);
  Image from = make_image(context_, k2d, kCounts, CL_MEM_COPY_HOST_PTR, data.data());
  Image to = make_image(context_, k2d, kCounts);
  Kernel copy = make_kernel(own_, "copy"), twice = make_kernel(own_, "twice");
  ASSERT_OK(set(copy, 0, from));
  ASSERT_OK(set(copy, 1, to));
  ASSERT_OK(set(twice, 0, to));
  launch(copy, k2d.width, k2d.height);
  launch(twice, k2d.width, k2d.height);
  for (cl_uint& value : data) value = (value + 1) * 2;
  EXPECT_EQ(data, counts(to, k2d));
}

// A launch keeps its images; a clone has the arguments of its original.
TEST_F(ImageArgumentTest, LaunchesKeepImages) {
  Kernel copy = make_kernel(own_, "copy");
  Image from = make_image(context_, k2d, kCounts), to = make_image(context_, k2d, kCounts);
  ASSERT_OK(set(copy, 0, from));
  ASSERT_OK(set(copy, 1, to));
  cl_int code = 1;
  Kernel clone(clCloneKernel(copy, &code));
  ASSERT_OK(code);
  Event gate = user_event(context_);
  const cl_uint kSeven[4] = {7, 0, 0, 0};
  const Position origin = {0, 0, 0}, region = k2d.extent();
  ASSERT_OK(clEnqueueFillImage(queue_, from, kSeven, origin.data(), region.data(), 1, gate.list(),
                               nullptr));
  launch(clone, k2d.width, k2d.height);
  EXPECT_EQ(1u, info<cl_uint>(clGetMemObjectInfo, from, CL_MEM_REFERENCE_COUNT));
  from.reset();
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_EQ(std::vector<cl_uint>(k2d.elements(), 8), counts(to, k2d));
  if (!is_conclave()) return;
  const size_t global[] = {1, 1};
  EXPECT_CL(CL_INVALID_KERNEL_ARGS,
            clEnqueueNDRangeKernel(queue_, copy, 2, nullptr, global, nullptr, 0, nullptr, nullptr));
}

}  // namespace
}  // namespace conclave::test
