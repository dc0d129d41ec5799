// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "api_test.h"

namespace conclave::test {
namespace {

using QueueTest = ApiTest;

Query query(cl_command_queue queue, cl_command_queue_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetCommandQueueInfo(queue, name, size, value, ret);
  };
}

template <typename T>
T value_of(cl_command_queue queue, cl_command_queue_info name) {
  return info<T>(clGetCommandQueueInfo, queue, name);
}

// How many threads of this process are workers.
cl_uint workers() {
  cl_uint count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    count += name.starts_with("conclave-cu");
  }
  return count;
}

TEST_F(QueueTest, WorkersStartBeforeTheFirstLaunch) {
  const auto units = info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS);
  Program program = build(context_, "kernel void k(void) {}");
  for (int i = 0; i < 1000 && workers() < units; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(units, workers());
}

TEST_F(QueueTest, EveryQueryHasTheRightSizeAndValue) {
  checked_info(query(queue_, CL_QUEUE_CONTEXT), one<cl_context>);
  checked_info(query(queue_, CL_QUEUE_DEVICE), one<cl_device_id>);
  checked_info(query(queue_, CL_QUEUE_REFERENCE_COUNT), one<cl_uint>);
  checked_info(query(queue_, CL_QUEUE_PROPERTIES), one<cl_command_queue_properties>);
  checked_info(query(queue_, CL_QUEUE_DEVICE_DEFAULT), one<cl_command_queue>);
  checked_info(query(queue_, CL_QUEUE_PROPERTIES_ARRAY), list_of<cl_queue_properties>);
  EXPECT_EQ(context_.get(), value_of<cl_context>(queue_, CL_QUEUE_CONTEXT));
  EXPECT_EQ(device(), value_of<cl_device_id>(queue_, CL_QUEUE_DEVICE));
  EXPECT_EQ(1u, value_of<cl_uint>(queue_, CL_QUEUE_REFERENCE_COUNT));
  EXPECT_EQ(static_cast<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE),
            value_of<cl_command_queue_properties>(queue_, CL_QUEUE_PROPERTIES));
  // The device has no on-device queues, so none is the default, and a host queue has no size.
  EXPECT_EQ(nullptr, value_of<cl_command_queue>(queue_, CL_QUEUE_DEVICE_DEFAULT));
  cl_uint size = 0;
  EXPECT_CL(CL_INVALID_COMMAND_QUEUE,
            clGetCommandQueueInfo(queue_, CL_QUEUE_SIZE, sizeof size, &size, nullptr));
}

TEST_F(QueueTest, EveryCombinationOfHostProperties) {
  for (cl_command_queue_properties wanted = 0; wanted < 4; ++wanted) {
    SCOPED_TRACE(wanted);
    Queue old_style = make_queue(context_, wanted);
    EXPECT_EQ(wanted, value_of<cl_command_queue_properties>(old_style, CL_QUEUE_PROPERTIES));
    // "If command_queue was created using clCreateCommandQueue ... size 0"
    EXPECT_EQ(
        0u, checked_info(query(old_style, CL_QUEUE_PROPERTIES_ARRAY), list_of<cl_queue_properties>)
                .size());
    const cl_queue_properties kProperties[] = {CL_QUEUE_PROPERTIES, wanted, 0};
    cl_int err = 0;
    Queue queue(clCreateCommandQueueWithProperties(context_, device(), kProperties, &err));
    ASSERT_OK(err);
    EXPECT_EQ(wanted, value_of<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES));
    std::vector<char> back =
        checked_info(query(queue, CL_QUEUE_PROPERTIES_ARRAY), list_of<cl_queue_properties>);
    ASSERT_EQ(sizeof kProperties, back.size());
    EXPECT_EQ(0, std::memcmp(back.data(), kProperties, sizeof kProperties));
  }
}

TEST_F(QueueTest, NoPropertiesMeansInOrder) {
  cl_int err = 0;
  Queue queue(clCreateCommandQueueWithProperties(context_, device(), nullptr, &err));
  ASSERT_OK(err);
  EXPECT_EQ(0u, value_of<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES));
  EXPECT_EQ(
      0u,
      checked_info(query(queue, CL_QUEUE_PROPERTIES_ARRAY), list_of<cl_queue_properties>).size());
  const cl_queue_properties kEmpty[] = {0};
  Queue empty(clCreateCommandQueueWithProperties(context_, device(), kEmpty, &err));
  ASSERT_OK(err);
  // "must return the values specified in the properties argument": the terminating 0 alone.
  EXPECT_EQ(
      sizeof kEmpty,
      checked_info(query(empty, CL_QUEUE_PROPERTIES_ARRAY), list_of<cl_queue_properties>).size());
}

TEST_F(QueueTest, CountsReferences) {
  Queue queue = make_queue(context_);
  EXPECT_OK(clRetainCommandQueue(queue));
  EXPECT_EQ(2u, value_of<cl_uint>(queue, CL_QUEUE_REFERENCE_COUNT));
  EXPECT_OK(clReleaseCommandQueue(queue));
  EXPECT_EQ(1u, value_of<cl_uint>(queue, CL_QUEUE_REFERENCE_COUNT));
}

// "After the command_queue reference count becomes zero and all commands queued to command_queue
// have finished (eg. kernel-instances, memory object updates etc.), the command-queue is deleted.
// clReleaseCommandQueue performs an implicit flush."
TEST_F(QueueTest, ReleasedQueueStillRunsItsCommands) {
  Buffer buffer = make_buffer(context_, std::vector<int>(16, 1));
  Event gate = user_event(context_), done;
  Queue queue = make_queue(context_);
  int five = 5;
  ASSERT_OK(clEnqueueFillBuffer(queue, buffer, &five, sizeof five, 0, 16 * sizeof(int), 1,
                                gate.list(), done.out()));
  queue.reset();
  EXPECT_GT(event_status(done), CL_COMPLETE);
  EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_OK(clWaitForEvents(1, done.list()));
  EXPECT_EQ(std::vector<int>(16, 5), contents(queue_, buffer, 16));
}

TEST_F(QueueTest, BadCreationIsRefused) {
  const cl_queue_properties kUnknown[] = {0x7777, 1, 0};
  const cl_queue_properties kBadBits[] = {CL_QUEUE_PROPERTIES, 1 << 21, 0};
  const cl_queue_properties kDeviceAlone[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0};
  const cl_queue_properties kSizeAlone[] = {CL_QUEUE_SIZE, 16, 0};
  const cl_queue_properties kOnDevice[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateCommandQueue(nullptr, device(), 0, err)),
      BAD_CREATE(CL_INVALID_DEVICE, clCreateCommandQueue(context_, nullptr, 0, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateCommandQueue(context_, device(), 1 << 21, err)),
      BAD_CREATE(CL_INVALID_CONTEXT,
                 clCreateCommandQueueWithProperties(nullptr, device(), nullptr, err)),
      BAD_CREATE(CL_INVALID_DEVICE,
                 clCreateCommandQueueWithProperties(context_, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 clCreateCommandQueueWithProperties(context_, device(), kUnknown, err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 clCreateCommandQueueWithProperties(context_, device(), kBadBits, err)),
      BAD_CREATE(CL_INVALID_QUEUE_PROPERTIES,
                 clCreateCommandQueueWithProperties(context_, device(), kOnDevice, err)),
  });
  // ON_DEVICE needs OUT_OF_ORDER, SIZE needs ON_DEVICE: not valid, or not supported anyway.
  for (const cl_queue_properties* properties : {kDeviceAlone, kSizeAlone}) {
    cl_int status = creation_error([&](cl_int* err) {
      return clCreateCommandQueueWithProperties(context_, device(), properties, err);
    });
    EXPECT_TRUE(status == CL_INVALID_VALUE || status == CL_INVALID_QUEUE_PROPERTIES)
        << error_name(status);
  }
}

// cl_khr_priority_hints and cl_khr_throttle_hints
TEST_F(QueueTest, Hints) {
  for (const cl_queue_properties name : {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR}) {
    for (const cl_queue_properties value : {1, 2, 4}) {
      const cl_queue_properties kHint[] = {name, value, 0};
      cl_int err = 0;
      Queue queue(clCreateCommandQueueWithProperties(context_, device(), kHint, &err));
      ASSERT_OK(err);
      std::vector<char> back =
          checked_info(query(queue, CL_QUEUE_PROPERTIES_ARRAY), list_of<cl_queue_properties>);
      ASSERT_EQ(sizeof kHint, back.size());
      EXPECT_EQ(0, std::memcmp(back.data(), kHint, sizeof kHint));
    }
    const cl_queue_properties kNone[] = {name, 0, 0}, kTwo[] = {name, 3, 0},
                              kOther[] = {name, 8, 0};
    expect_all({
        BAD_CREATE(CL_INVALID_VALUE,
                   clCreateCommandQueueWithProperties(context_, device(), kNone, err)),
        BAD_CREATE(CL_INVALID_VALUE,
                   clCreateCommandQueueWithProperties(context_, device(), kTwo, err)),
        BAD_CREATE(CL_INVALID_VALUE,
                   clCreateCommandQueueWithProperties(context_, device(), kOther, err)),
    });
  }
}

// The commands of a queue that saves energy run on half of the compute units: the work-groups wait
// for each other, and no more than so many meet.
TEST_F(QueueTest, LowThrottleLeavesHalfOfTheComputeUnitsIdle) {
  CONCLAVE_ONLY();
  const auto units = info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS);
  if (units < 2) GTEST_SKIP() << "needs two compute units";
  constexpr char kMeet[] = R"(
    kernel void meet(volatile global int* counts) {
      int now = atomic_inc(&counts[0]) + 1;
      for (int i = 0; i < 300000; ++i) atomic_max(&counts[1], counts[0]);
      atomic_max(&counts[1], now);
      atomic_dec(&counts[0]);
    })";
  Program program = build(context_, kMeet);
  Kernel meet = make_kernel(program, "meet");
  const auto most_at_once = [&](cl_queue_properties throttle) {
    const cl_queue_properties properties[] = {CL_QUEUE_THROTTLE_KHR, throttle, 0};
    cl_int err = 0;
    Queue queue(clCreateCommandQueueWithProperties(context_, device(), properties, &err));
    EXPECT_OK(err);
    Buffer counts = make_buffer(context_, std::vector<int>(2, 0));
    const size_t items = 8 * units, one = 1;
    EXPECT_OK(clSetKernelArg(meet, 0, sizeof(cl_mem), counts.list()));
    EXPECT_OK(clEnqueueNDRangeKernel(queue, meet, 1, nullptr, &items, &one, 0, nullptr, nullptr));
    return contents(queue, counts, 2)[1];
  };
  EXPECT_LE(most_at_once(CL_QUEUE_THROTTLE_LOW_KHR), static_cast<int>((units + 1) / 2));
  EXPECT_GT(most_at_once(CL_QUEUE_THROTTLE_HIGH_KHR), static_cast<int>((units + 1) / 2));
}

TEST_F(QueueTest, BadArgumentsAreRefused) {
  cl_command_queue none = nullptr;
  cl_uint value = 0;
  cl_command_queue_properties before = 0;
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(none)),
      BAD(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(none)),
      BAD(CL_INVALID_COMMAND_QUEUE, clFlush(none)),
      BAD(CL_INVALID_COMMAND_QUEUE, clFinish(none)),
      BAD(CL_INVALID_COMMAND_QUEUE,
          clGetCommandQueueInfo(none, CL_QUEUE_DEVICE, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetCommandQueueInfo(queue_, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetCommandQueueInfo(queue_, CL_DEVICE_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetCommandQueueInfo(queue_, CL_QUEUE_CONTEXT, 4, &value, nullptr)),
      BAD(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(nullptr, device(), queue_)),
      BAD(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context_, device(), queue_)),
      BAD(CL_INVALID_COMMAND_QUEUE,
          clSetCommandQueueProperty(none, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &before)),
  });
}

// "CL_INVALID_OPERATION if no devices ... support modifying the properties of a command-queue".
TEST_F(QueueTest, PropertiesChangeOrAreFixed) {
  cl_command_queue_properties before = 99;
  cl_int status = clSetCommandQueueProperty(queue_, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &before);
  auto now = value_of<cl_command_queue_properties>(queue_, CL_QUEUE_PROPERTIES);
  if (status == CL_INVALID_OPERATION) {
    EXPECT_EQ(static_cast<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE), now);
    return;
  }
  ASSERT_OK(status);
  EXPECT_EQ(static_cast<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE), before);
  EXPECT_EQ(0u, now);
  EXPECT_CL(CL_INVALID_VALUE, clSetCommandQueueProperty(queue_, 1 << 21, CL_TRUE, nullptr));
  EXPECT_OK(clSetCommandQueueProperty(queue_, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr));
  Event done;
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, done.out()));
  ASSERT_OK(clWaitForEvents(1, done.list()));
  EXPECT_NE(0u, info<cl_ulong>(clGetEventProfilingInfo, done, CL_PROFILING_COMMAND_END));
}

}  // namespace
}  // namespace conclave::test
