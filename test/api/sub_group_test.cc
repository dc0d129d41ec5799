// SPDX-License-Identifier: Apache-2.0
// Queries about sub-groups, held against what kernels see.
#include <algorithm>
#include <vector>

#include "test/api/api_test.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  kernel void tell(global uint* out) {
    size_t g = get_global_linear_id();
    out[4 * g] = get_max_sub_group_size();
    out[4 * g + 1] = get_num_sub_groups();
    out[4 * g + 2] = get_enqueued_num_sub_groups();
    out[4 * g + 3] = get_sub_group_size();
  }
  kernel void plain(global uint* out) { out[get_global_id(0)] = 1; }
  kernel __attribute__((intel_reqd_sub_group_size(4))) void four(global uint* out) {
    out[get_global_id(0)] = sub_group_reduce_add(1);
  })";

class SubGroupTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    if (info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_NUM_SUB_GROUPS) == 0) GTEST_SKIP();
    program_ = build(context_, kSource, "-cl-std=CL3.0");
    tell_ = make_kernel(program_, "tell");
  }

  size_t ask(cl_kernel kernel, cl_kernel_sub_group_info name, const std::vector<size_t>& input) {
    size_t value = 0, size = 0;
    EXPECT_OK(clGetKernelSubGroupInfo(kernel, device(), name, input.size() * sizeof(size_t),
                                      input.data(), sizeof value, &value, &size));
    EXPECT_EQ(sizeof value, size);
    return value;
  }

  Kernel tell_;
};

TEST_F(SubGroupTest, QueriesAgreeWithKernels) {
  constexpr size_t kItems = 4096;
  Buffer out = make_buffer(context_, kItems * 4 * sizeof(cl_uint));
  ASSERT_OK(clSetKernelArg(tell_, 0, sizeof(cl_mem), out.list()));
  const std::vector<std::vector<size_t>> sizes = {{1},     {64},    {37},      {3, 5},
                                                  {16, 3}, {64, 1}, {5, 1, 1}, {8, 2, 3}};
  for (const std::vector<size_t>& local : sizes) {
    SCOPED_TRACE(local[0]);
    const auto dimensions = static_cast<cl_uint>(local.size());
    ASSERT_OK(clEnqueueNDRangeKernel(queue_, tell_, dimensions, nullptr, local.data(), local.data(),
                                     0, nullptr, nullptr));
    const std::vector<int> seen = contents(queue_, out, 4);
    const size_t largest = ask(tell_, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local);
    const size_t count = ask(tell_, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local);
    EXPECT_EQ(static_cast<size_t>(seen[0]), largest);
    EXPECT_EQ(static_cast<size_t>(seen[1]), count);
    EXPECT_EQ(static_cast<size_t>(seen[2]), count);
    EXPECT_LE(static_cast<size_t>(seen[3]), largest);
  }
}

TEST_F(SubGroupTest, LocalSizeForACount) {
  const size_t most = ask(tell_, CL_KERNEL_MAX_NUM_SUB_GROUPS, {});
  EXPECT_GE(most, 1u);
  EXPECT_LE(most, info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_NUM_SUB_GROUPS));
  for (size_t count : {size_t{1}, size_t{3}, most, most + 1}) {
    size_t local[3] = {99, 99, 99};
    ASSERT_OK(clGetKernelSubGroupInfo(tell_, device(), CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                      sizeof count, &count, sizeof local, local, nullptr));
    if (count > most) {
      for (size_t size : local) EXPECT_EQ(0u, size);
      continue;
    }
    EXPECT_EQ(1u, local[1]);
    EXPECT_EQ(1u, local[2]);
    EXPECT_EQ(count, ask(tell_, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {local[0]}));
  }
}

TEST_F(SubGroupTest, RequiredSize) {
  CONCLAVE_ONLY();
  Kernel four = make_kernel(program_, "four"), plain = make_kernel(program_, "plain");
  EXPECT_EQ(4u, ask(four, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, {}));
  EXPECT_EQ(0u, ask(plain, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, {}));
  EXPECT_EQ(0u, ask(plain, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, {}));
  EXPECT_EQ(4u, ask(four, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64}));
  EXPECT_EQ(16u, ask(four, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {64}));
  size_t multiple = 0;
  ASSERT_OK(clGetKernelWorkGroupInfo(four, device(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                     sizeof multiple, &multiple, nullptr));
  EXPECT_EQ(4u, multiple);
  cl_ulong spilled = 0;
  ASSERT_OK(clGetKernelWorkGroupInfo(four, device(), CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof spilled,
                                     &spilled, nullptr));
  EXPECT_GT(spilled, 0u);
  size_t sizes[16], bytes = 0;
  ASSERT_OK(
      clGetDeviceInfo(device(), CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
  EXPECT_NE(std::find(sizes, sizes + bytes / sizeof(size_t), size_t{4}),
            sizes + bytes / sizeof(size_t));

  constexpr size_t kItems = 10;
  Buffer out = make_buffer(context_, kItems * sizeof(cl_uint));
  ASSERT_OK(clSetKernelArg(four, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(
      clEnqueueNDRangeKernel(queue_, four, 1, nullptr, &kItems, &kItems, 0, nullptr, nullptr));
  EXPECT_EQ(contents(queue_, out, 10), (std::vector<int>{4, 4, 4, 4, 4, 4, 4, 4, 2, 2}));
}

// cl_intel_subgroups: words of an image's rows, those outside of it included.
TEST_F(SubGroupTest, BlocksOfImages) {
  if (device_text(device(), CL_DEVICE_EXTENSIONS).find("cl_intel_subgroups") == std::string::npos)
    GTEST_SKIP();
  constexpr size_t kWidth = 32, kHeight = 8;
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = kWidth;
  desc.image_height = kHeight;
  std::vector<cl_uint> pixels(kWidth * kHeight);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<cl_uint>(i * 2654435761u);
  Buffer from(
      clCreateImage(context_, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels.data(), nullptr));
  Buffer to(clCreateImage(context_, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels.data(), nullptr));
  Buffer out = make_buffer(context_, 4 * kWidth * sizeof(cl_uint));
  Program program = build(context_, R"(
    kernel void test(read_only image2d_t from, write_only image2d_t to, global uint* out) {
      uint g = get_global_id(0), n = get_global_size(0), first = g - get_sub_group_local_id();
      uint2 rows = intel_sub_group_block_read2(from, (int2)(first * 4, 1));
      out[g] = rows.x;
      out[n + g] = rows.y;
      out[2 * n + g] = intel_sub_group_block_read(from, (int2)(first * 4, -3));
      ushort half_word = intel_sub_group_block_read_us(from, (int2)(first * 2, 5));
      out[3 * n + g] = half_word;
      intel_sub_group_block_write2(to, (int2)(first * 4, 7), (uint2)(g, g + 1));
      intel_sub_group_block_write(to, (int2)(first * 4, -1), 5);
    })",
                          "-cl-std=CL1.2");
  Kernel test = make_kernel(program, "test");
  EXPECT_OK(clSetKernelArg(test, 0, sizeof(cl_mem), from.list()));
  EXPECT_OK(clSetKernelArg(test, 1, sizeof(cl_mem), to.list()));
  EXPECT_OK(clSetKernelArg(test, 2, sizeof(cl_mem), out.list()));
  EXPECT_OK(
      clEnqueueNDRangeKernel(queue_, test, 1, nullptr, &kWidth, &kWidth, 0, nullptr, nullptr));
  const std::vector<int> got = contents(queue_, out, 4 * kWidth);
  std::vector<cl_uint> written(pixels.size());
  const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
  EXPECT_OK(clEnqueueReadImage(queue_, to, CL_TRUE, origin, region, 0, 0, written.data(), 0,
                               nullptr, nullptr));
  for (size_t x = 0; x < kWidth; ++x) {
    EXPECT_EQ(pixels[kWidth + x], static_cast<cl_uint>(got[x]));
    EXPECT_EQ(pixels[2 * kWidth + x], static_cast<cl_uint>(got[kWidth + x]));
    EXPECT_EQ(pixels[x], static_cast<cl_uint>(got[2 * kWidth + x]));
    EXPECT_EQ(pixels[5 * kWidth + x / 2] >> (x % 2 * 16) & 0xffff,
              static_cast<cl_uint>(got[3 * kWidth + x]));
    EXPECT_EQ(x, written[7 * kWidth + x]);
    pixels[7 * kWidth + x] = static_cast<cl_uint>(x);
  }
  EXPECT_EQ(pixels, written);
}

TEST_F(SubGroupTest, BadArguments) {
  size_t local[] = {8, 8, 8, 8}, zero = 0, value = 0;
  auto query = [&](cl_kernel kernel, cl_kernel_sub_group_info name, size_t size, const void* input,
                   size_t room = sizeof(size_t)) {
    return clGetKernelSubGroupInfo(kernel, device(), name, size, input, room, &value, nullptr);
  };
  const cl_kernel_sub_group_info largest = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
  const cl_kernel_sub_group_info count = CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
  const cl_kernel_sub_group_info size = CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
  expect_all({
      BAD(CL_INVALID_KERNEL, query(nullptr, largest, sizeof(size_t), local)),
      BAD(CL_INVALID_VALUE, query(tell_, largest, sizeof(size_t), nullptr)),
      BAD(CL_INVALID_VALUE, query(tell_, largest, 0, local)),
      BAD(CL_INVALID_VALUE, query(tell_, count, sizeof local, local)),
      BAD(CL_INVALID_VALUE, query(tell_, count, 7, local)),
      BAD(CL_INVALID_VALUE, query(tell_, size, 2 * sizeof(size_t), local)),
      BAD(CL_INVALID_VALUE, query(tell_, size, sizeof(size_t), nullptr)),
      BAD(CL_INVALID_VALUE, query(tell_, largest, sizeof(size_t), local, 4)),
      BAD(CL_INVALID_VALUE, query(tell_, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 4)),
      BAD(CL_INVALID_VALUE, query(tell_, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr)),
  });
  if (is_conclave()) {
    EXPECT_CL(CL_INVALID_VALUE, query(tell_, largest, sizeof zero, &zero));
  }
}

}  // namespace
}  // namespace conclave::test
