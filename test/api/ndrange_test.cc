// SPDX-License-Identifier: Apache-2.0
// ND-ranges: sizes, offsets, work-group shapes, and the launches that are refused.
#include <unistd.h>

#include <ctime>
#include <numeric>
#include <string>

#include "api_test.h"

namespace conclave::test {
namespace {

class NdRangeTest : public ApiTest {
 protected:
  cl_int launch(cl_kernel kernel, cl_uint dimensions, const size_t* offset, const size_t* global,
                const size_t* local) {
    return clEnqueueNDRangeKernel(queue_, kernel, dimensions, offset, global, local, 0, nullptr,
                                  nullptr);
  }
  // The kernel `ids` on `global` items; checks that each item ran once with its global id.
  void check_ids(const std::vector<size_t>& offset, const std::vector<size_t>& global,
                 const size_t* local) {
    size_t width = global[0], height = global.size() > 1 ? global[1] : 1,
           depth = global.size() > 2 ? global[2] : 1;
    size_t count = width * height * depth;
    Buffer out = make_buffer(context_, std::vector<int>(count, -1));
    Kernel ids = kernel("ids");
    int w = static_cast<int>(width), h = static_cast<int>(height);
    ASSERT_OK(clSetKernelArg(ids, 0, sizeof(cl_mem), out.list()));
    ASSERT_OK(clSetKernelArg(ids, 1, sizeof w, &w));
    ASSERT_OK(clSetKernelArg(ids, 2, sizeof h, &h));
    ASSERT_OK(launch(ids, static_cast<cl_uint>(global.size()),
                     offset.empty() ? nullptr : offset.data(), global.data(), local));
    auto from = [&](size_t dimension) { return dimension < offset.size() ? offset[dimension] : 0; };
    std::vector<int> expected;
    for (size_t z = 0; z < depth; ++z)
      for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x)
          expected.push_back(
              static_cast<int>(x + from(0) + 100 * (y + from(1)) + 10000 * (z + from(2))));
    EXPECT_EQ(expected, contents(queue_, out, count));
  }
};

TEST_F(NdRangeTest, OneTwoAndThreeDimensions) {
  check_ids({}, {37}, nullptr);
  check_ids({}, {8, 6}, nullptr);
  check_ids({}, {5, 4, 3}, nullptr);
  const size_t kLocal[] = {4, 2, 1};
  check_ids({}, {32}, kLocal);
  check_ids({}, {8, 6}, kLocal);
  check_ids({}, {8, 4, 3}, kLocal);
}

TEST_F(NdRangeTest, GlobalOffsets) {
  const size_t kLocal[] = {4, 2, 1};
  check_ids({5}, {32}, kLocal);
  check_ids({5, 7}, {8, 6}, kLocal);
  check_ids({5, 7, 3}, {8, 4, 2}, nullptr);
}

// Few work-items may be long ones: where the program leaves the local size open, no compute unit
// waits while another has several of them.
TEST_F(NdRangeTest, FewWorkItemsAreSpread) {
  CONCLAVE_ONLY();
  const auto units = info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS);
  Program program = build(context_, R"(
    kernel void walk(global int* groups, global const int* next) {
      int at = get_global_id(0);
      for (int step = 0; step < 100; ++step) at = next[at];
      groups[get_global_id(0)] = get_num_groups(0) + at;
    })");
  Kernel kernel = make_kernel(program, "walk");
  for (size_t items : {size_t{units}, size_t{2} * units, size_t{2} * units + 1}) {
    Buffer groups = make_buffer(context_, std::vector<int>(items));
    Buffer next = make_buffer(context_, std::vector<int>(items));
    ASSERT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), groups.list()));
    ASSERT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), next.list()));
    ASSERT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    for (int count : contents(queue_, groups, items)) EXPECT_GE(count, static_cast<int>(units));
  }
}

// Sizes that the local size does not divide: the program is built as OpenCL C 3.0.
TEST_F(NdRangeTest, NonUniformWorkGroups) {
  if (!info<cl_bool>(clGetDeviceInfo, device(), CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT)) {
    GTEST_SKIP();
  }
  const size_t kLocal[] = {4, 4, 2};
  check_ids({}, {13}, kLocal);
  check_ids({}, {7, 9}, kLocal);
  check_ids({2, 1, 1}, {7, 5, 3}, kLocal);

  Buffer out = make_buffer(context_, std::vector<int>(10, -1));
  Kernel sizes = kernel("local_sizes");
  const size_t kItems[] = {10};
  ASSERT_OK(clSetKernelArg(sizes, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(launch(sizes, 1, nullptr, kItems, kLocal));
  EXPECT_EQ((std::vector<int>{4, 4, 4, 4, 4, 4, 4, 4, 2, 2}), contents(queue_, out, 10));
}

// "If the program was created with clCreateProgramWithSource, then the program must be compiled for
// OpenCL C 2.0 or newer and without -cl-uniform-work-group-size": otherwise sizes must divide.
TEST_F(NdRangeTest, UniformProgramsRefuseNonUniformSizes) {
  const char kSource[] = "kernel void k(global int* o) { o[get_global_id(0)] = 1; }";
  Buffer out = make_buffer(context_, 64);
  const size_t kItems[] = {10}, kLocal[] = {4}, kFits[] = {8};
  for (const char* options : {"-cl-std=CL1.2", "", "-cl-std=CL3.0 -cl-uniform-work-group-size"}) {
    SCOPED_TRACE(options);
    Program program = build(context_, kSource, options);
    Kernel k = make_kernel(program, "k");
    ASSERT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
    EXPECT_CL(CL_INVALID_WORK_GROUP_SIZE, launch(k, 1, nullptr, kItems, kLocal));
    EXPECT_OK(launch(k, 1, nullptr, kFits, kLocal));
    EXPECT_OK(launch(k, 1, nullptr, kItems, nullptr));
  }
  EXPECT_OK(clFinish(queue_));
}

// Work-items of one launch may last differently long, so a compute unit gets several groups of long
// ones. Nor does a group last long: its compute unit does nothing else until then.
TEST_F(NdRangeTest, LongWorkItemsMakeSmallGroups) {
  CONCLAVE_ONLY();
  const char kSource[] = R"(
    kernel void k(global int* sizes, global float* x) {
      float y = x[get_global_id(0)];
      for (int i = 0; i < 20000; ++i) y = y * 0.5f + 1.0f;
      x[get_global_id(0)] = y;
      sizes[get_global_id(0)] = (int)get_local_size(0);
    })";
  constexpr size_t kEach = 8, kSize = 64, kMany = 1024;
  const size_t groups =
      kEach * info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS);
  // No earlier run has left times: a program is known by its options, too.
  const std::string run = "-DRUN=" + std::to_string(getpid()) + std::to_string(std::time(nullptr));
  Program program = build(context_, kSource, run.c_str());
  Kernel k = make_kernel(program, "k");
  Buffer sizes = make_buffer(context_, std::vector<int>(kMany * groups));
  Buffer x = make_buffer(context_, kMany * groups * sizeof(cl_float));
  ASSERT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), sizes.list()));
  ASSERT_OK(clSetKernelArg(k, 1, sizeof(cl_mem), x.list()));
  size_t lanes = 0;
  ASSERT_OK(clGetKernelWorkGroupInfo(k, device(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                     sizeof lanes, &lanes, nullptr));
  const auto size_for = [&](size_t items) {
    EXPECT_OK(launch(k, 1, nullptr, &items, nullptr));
    return static_cast<size_t>(contents(queue_, sizes, 1)[0]);
  };
  EXPECT_EQ(4 * kSize, size_for(kSize * groups));
  // Smaller where the items seemed longer, as other programs ran beside them; a packet at least.
  const size_t second = size_for(kSize * groups);
  EXPECT_LE(second, kSize);
  EXPECT_GE(second, lanes);
  EXPECT_LE(size_for(kMany * groups), kMany / 2);
}

// A launch may be long although those before it were brief, as where a kernel looks whether there is
// anything to do. Its groups are of one work-item, far fewer than a packet has.
TEST_F(NdRangeTest, FewLongGroupsAreSpreadAfterBriefLaunches) {
  CONCLAVE_ONLY();
  const auto units = info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS);
  if (units < 2) GTEST_SKIP();
  Program program = build(context_, R"(
    kernel void meet(volatile global int* running, global int* most, int steps) {
      if (steps == 0) return;
      atomic_max(most, atomic_inc(running) + 1);
      for (int i = get_group_id(0); i < steps; ++i) *running;
      atomic_dec(running);
    })");
  Kernel meet = make_kernel(program, "meet");
  const Buffer running = make_buffer(context_, std::vector<int>(1)),
               most = make_buffer(context_, std::vector<int>(1));
  ASSERT_OK(clSetKernelArg(meet, 0, sizeof(cl_mem), running.list()));
  ASSERT_OK(clSetKernelArg(meet, 1, sizeof(cl_mem), most.list()));
  const size_t groups = 6 * units, local = 1;
  const auto run = [&](cl_int steps) {
    ASSERT_OK(clSetKernelArg(meet, 2, sizeof steps, &steps));
    ASSERT_OK(launch(meet, 1, nullptr, &groups, &local));
    ASSERT_OK(clFinish(queue_));
  };
  for (int round = 0; round < 20 && contents(queue_, most, 1)[0] < 2; ++round) {
    for (int brief = 0; brief < 5; ++brief) run(0);
    run(1'000'000);
  }
  EXPECT_GE(contents(queue_, most, 1)[0], 2);
}

// "If ... global_work_size is NULL or the value in any passed dimension is zero, then the kernel
// command will trivially succeed after its event dependencies are satisfied" (OpenCL 2.1 and
// newer).
TEST_F(NdRangeTest, EmptyRangesCompleteAfterTheirDependencies) {
  Buffer out = make_buffer(context_, std::vector<int>(16, 1));
  Kernel add = kernel("add");
  int amount = 5;
  ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  const size_t kZero[] = {0}, kZeroHigh[] = {16, 0}, kLocal[] = {8, 1};
  const struct {
    cl_uint dimensions;
    const size_t* global;
    const size_t* local;
  } kRows[] = {
      {1, kZero, nullptr}, {1, kZero, kLocal}, {2, kZeroHigh, nullptr}, {1, nullptr, nullptr}};
  for (const auto& row : kRows) {
    Event gate = user_event(context_), done;
    EXPECT_OK(clEnqueueNDRangeKernel(queue_, add, row.dimensions, nullptr, row.global, row.local, 1,
                                     gate.list(), done.out()));
    if (!done) continue;
    EXPECT_GT(event_status(done), CL_COMPLETE);
    EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
    EXPECT_OK(clWaitForEvents(1, done.list()));
  }
  EXPECT_EQ(std::vector<int>(16, 1), contents(queue_, out, 16)) << "no work-item may run";
}

TEST_F(NdRangeTest, LargeWorkGroupsAndBarriers) {
  CONCLAVE_ONLY();
  constexpr size_t kLocal = 16384;
  const size_t kGlobal[] = {2 * kLocal}, kGroup[] = {kLocal};
  if (info<cl_ulong>(clGetDeviceInfo, device(), CL_DEVICE_LOCAL_MEM_SIZE) < kLocal * sizeof(int)) {
    GTEST_SKIP() << "local memory is too small";
  }
  std::vector<int> data(2 * kLocal);
  std::iota(data.begin(), data.end(), 0);
  Buffer in = make_buffer(context_, data), out = make_buffer(context_, std::vector<int>(2, 0));
  Kernel sum = kernel("group_sum");
  ASSERT_OK(clSetKernelArg(sum, 0, sizeof(cl_mem), in.list()));
  ASSERT_OK(clSetKernelArg(sum, 1, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(sum, 2, kLocal * sizeof(int), nullptr));
  ASSERT_OK(launch(sum, 1, nullptr, kGlobal, kGroup));
  EXPECT_EQ((std::vector<int>{std::accumulate(data.begin(), data.begin() + kLocal, 0),
                              std::accumulate(data.begin() + kLocal, data.end(), 0)}),
            contents(queue_, out, 2));
}

// Few large groups of a kernel that does not know them are cut once it is known how long they take.
TEST_F(NdRangeTest, FewLargeGroupsComputeTheSame) {
  constexpr size_t kWidth = 96, kHeight = 32;
  Program program = build(context_, R"(
kernel void count(global int* out, int steps) {
  const int i = get_global_id(0) - get_global_offset(0) + 96 * (get_global_id(1) - get_global_offset(1));
  uint x = i;
  for (int k = 0; k < steps; ++k) x = x * 31 + (x >> 3);
  out[i] += x;
})",
                          "-cl-std=CL2.0");
  Kernel count = make_kernel(program, "count");
  const int steps = 3000;
  std::vector<int> expected(kWidth * kHeight);
  for (size_t i = 0; i < expected.size(); ++i) {
    auto x = static_cast<unsigned>(i);
    for (int k = 0; k < steps; ++k) x = x * 31 + (x >> 3);
    expected[i] = static_cast<int>(x);
  }
  Buffer out = make_buffer(context_, std::vector<int>(kWidth * kHeight, 0));
  ASSERT_OK(clSetKernelArg(count, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(count, 1, sizeof steps, &steps));
  const size_t kOffset[] = {5, 7}, kGlobal[] = {kWidth, kHeight}, kWhole[] = {kWidth, kHeight},
               kUneven[] = {80, 32};
  for (const size_t* local : {kWhole, kUneven, kWhole, kUneven}) {
    const std::vector<int> zeros(kWidth * kHeight, 0);
    ASSERT_OK(clEnqueueWriteBuffer(queue_, out, CL_TRUE, 0, zeros.size() * sizeof(int),
                                   zeros.data(), 0, nullptr, nullptr));
    ASSERT_OK(launch(count, 2, kOffset, kGlobal, local));
    EXPECT_EQ(expected, contents(queue_, out, expected.size()));
  }
}

TEST_F(NdRangeTest, RequiredWorkGroupSizeIsEnforced) {
  Buffer out = make_buffer(context_, std::vector<int>(64, 0));
  Kernel fixed = kernel("fixed");
  ASSERT_OK(clSetKernelArg(fixed, 0, sizeof(cl_mem), out.list()));
  const size_t kGlobal[] = {16, 4}, kRight[] = {8, 2}, kWrong[] = {4, 4}, kFlat[] = {16, 1},
               kOne[] = {16};
  EXPECT_OK(launch(fixed, 2, nullptr, kGlobal, kRight));
  EXPECT_EQ(std::vector<int>(64, 82), contents(queue_, out, 64));
  EXPECT_OK(launch(fixed, 2, nullptr, kGlobal, nullptr)) << "the required size is taken";
  EXPECT_OK(clFinish(queue_));
  expect_all({
      BAD(CL_INVALID_WORK_GROUP_SIZE, launch(fixed, 2, nullptr, kGlobal, kWrong)),
      BAD(CL_INVALID_WORK_GROUP_SIZE, launch(fixed, 2, nullptr, kGlobal, kFlat)),
      BAD(CL_INVALID_WORK_GROUP_SIZE, launch(fixed, 1, nullptr, kOne, kOne)),
      BAD(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(queue_, fixed, 0, nullptr, nullptr)),
  });
}

TEST_F(NdRangeTest, BadSizesAreRefused) {
  Buffer out = make_buffer(context_, std::vector<int>(64, 0));
  Kernel add = kernel("add");
  int amount = 1;
  ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  size_t most = info<size_t>(clGetDeviceInfo, device(), CL_DEVICE_MAX_WORK_GROUP_SIZE);
  size_t sizes[3] = {};
  ASSERT_OK(clGetDeviceInfo(device(), CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr));
  const size_t kGlobal[] = {64, 1, 1}, kZeroLocal[] = {0, 1, 1}, kFar[] = {SIZE_MAX - 8, 0, 0},
               kHuge[] = {SIZE_MAX, 1, 1};
  const size_t over_group[] = {most, 2, 1}, over_group_items[] = {most, 2, 1};
  const size_t over_item[] = {1, sizes[1] + 1, 1}, over_item_items[] = {1, sizes[1] + 1, 1};
  expect_all({
      BAD(CL_INVALID_WORK_DIMENSION, launch(add, 0, nullptr, kGlobal, nullptr)),
      BAD(CL_INVALID_WORK_DIMENSION, launch(add, 4, nullptr, kGlobal, nullptr)),
      BAD(CL_INVALID_GLOBAL_OFFSET, launch(add, 1, kFar, kGlobal, nullptr)),
      BAD(CL_INVALID_GLOBAL_OFFSET, launch(add, 1, kGlobal, kHuge, nullptr)),
      BAD(CL_INVALID_WORK_GROUP_SIZE, launch(add, 1, nullptr, kGlobal, kZeroLocal)),
      BAD(CL_INVALID_WORK_GROUP_SIZE, launch(add, 2, nullptr, over_group_items, over_group)),
  });
  // Too many items in one dimension may also make the group as a whole too large.
  cl_int status = launch(add, 2, nullptr, over_item_items, over_item);
  EXPECT_TRUE(status == CL_INVALID_WORK_ITEM_SIZE || status == CL_INVALID_WORK_GROUP_SIZE)
      << error_name(status);
}

TEST_F(NdRangeTest, BadObjectsAreRefused) {
  Kernel add = kernel("add"), nothing = kernel("nothing");
  Context other_context = make_context();
  Queue other_queue = make_queue(other_context);
  const size_t kGlobal[] = {16};
  auto enqueue = [&](cl_command_queue queue, cl_kernel kernel) {
    return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, kGlobal, nullptr, 0, nullptr, nullptr);
  };
  int amount = 1;
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE, enqueue(nullptr, nothing)),
      BAD(CL_INVALID_KERNEL, enqueue(queue_, nullptr)),
      BAD(CL_INVALID_CONTEXT, enqueue(other_queue, nothing)),
      BAD(CL_INVALID_KERNEL_ARGS, enqueue(queue_, add)),
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(nullptr, nothing, 0, nullptr, nullptr)),
      BAD(CL_INVALID_KERNEL, clEnqueueTask(queue_, nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_CONTEXT, clEnqueueTask(other_queue, nothing, 0, nullptr, nullptr)),
      BAD(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue_, add, 0, nullptr, nullptr)),
  });
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  EXPECT_CL(CL_INVALID_KERNEL_ARGS, enqueue(queue_, add)) << "one of two arguments is set";
}

// A kernel and its buffers may be released as soon as it is enqueued.
TEST_F(NdRangeTest, ObjectsMayBeReleasedOnceEnqueued) {
  Event done;
  std::vector<int> host(16, 1);
  {
    Context context = make_context();
    Queue queue = make_queue(context);
    Event inner_gate = user_event(context);
    Buffer data = make_buffer(context, 64, CL_MEM_USE_HOST_PTR, host.data());
    Program program = build(context, kKernels, "-cl-std=CL3.0");
    Kernel add = make_kernel(program, "add");
    int amount = 9;
    size_t items = 16;
    ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), data.list()));
    ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
    ASSERT_OK(clEnqueueNDRangeKernel(queue, add, 1, nullptr, &items, nullptr, 1, inner_gate.list(),
                                     done.out()));
    add.reset();
    program.reset();
    data.reset();
    queue.reset();
    ASSERT_OK(clSetUserEventStatus(inner_gate, CL_COMPLETE));
  }
  EXPECT_OK(clWaitForEvents(1, done.list()));
  EXPECT_EQ(std::vector<int>(16, 10), host);
}

}  // namespace
}  // namespace conclave::test
