// SPDX-License-Identifier: Apache-2.0
// Command buffers over several queues, of one device and of sub-devices, and copies for other queues
// (cl_khr_command_buffer_multi_device).
#include <array>

#include "command_buffer_test.h"

namespace conclave::test {
namespace {

class CommandBufferQueuesTest : public CommandBufferTest {
 protected:
  void SetUp() override {
    CommandBufferTest::SetUp();
    if (!f_.remap) GTEST_SKIP() << "one queue for each command buffer";
    if (units() >= 2) use_sub_devices();
    for (size_t i = 0; i < 2; ++i) {
      cl_int err = 0;
      queues_[i] =
          Queue(clCreateCommandQueue(context_, subs_[i] ? subs_[i].get() : device(), 0, &err));
      ASSERT_OK(err);
      list_.push_back(queues_[i]);
    }
  }
  static cl_uint units() {
    return info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS);
  }
  // Both queues are of sub-devices then.
  void use_sub_devices() {
    const auto half = static_cast<cl_device_partition_property>(units() / 2);
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, half, half,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    std::array<cl_device_id, 2> raw{};
    ASSERT_OK(clCreateSubDevices(device(), halves, 2, raw.data(), nullptr));
    for (size_t i = 0; i < 2; ++i) subs_[i] = Device(raw[i]);
    cl_int err = 0;
    context_ = Context(clCreateContext(nullptr, 2, raw.data(), nullptr, nullptr, &err));
    ASSERT_OK(err);
    queue_ = Queue(clCreateCommandQueue(context_, raw[0], 0, &err));
    out_of_order_ =
        Queue(clCreateCommandQueue(context_, raw[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err));
    ASSERT_OK(err);
    program_ = make_program(context_, kKernels);
    ASSERT_OK(clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr));
  }
  Recorded make_for(const std::vector<cl_command_queue>& queues,
                    cl_command_buffer_flags_khr flags = 0) {
    const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int code = -1;
    Recorded buffer(f_.create(static_cast<cl_uint>(queues.size()), queues.data(), list, &code));
    EXPECT_OK(code);
    return buffer;
  }
  cl_sync_point_khr launch_in(cl_command_buffer_khr buffer, cl_command_queue queue,
                              cl_kernel kernel, std::vector<cl_sync_point_khr> after = {},
                              cl_mutable_command_khr* handle = nullptr) {
    const size_t items = 16;
    cl_sync_point_khr point = 0;
    EXPECT_OK(f_.launch(buffer, queue, nullptr, kernel, 1, nullptr, &items, nullptr,
                        static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(),
                        &point, handle));
    return point;
  }
  void run(cl_command_buffer_khr buffer, std::vector<cl_command_queue> queues = {}) {
    Event done;
    ASSERT_OK(f_.enqueue(static_cast<cl_uint>(queues.size()),
                         queues.empty() ? nullptr : queues.data(), buffer, 0, nullptr, done.out()));
    ASSERT_OK(clWaitForEvents(1, done.list()));
  }

  std::array<Device, 2> subs_;
  std::array<Queue, 2> queues_;
  std::vector<cl_command_queue> list_;
};

TEST_F(CommandBufferQueuesTest, SyncPointsOrderCommandsOfSeveralQueues) {
  Buffer mem = zeros();
  Recorded buffer = make_for(list_, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR);
  unsigned expected = 0;
  cl_sync_point_khr last = 0;
  for (int i = 0; i < 20; ++i) {
    last = launch_in(buffer, list_[i % 2], twice_plus(mem, i),
                     last ? std::vector{last} : std::vector<cl_sync_point_khr>());
    expected = 2 * expected + static_cast<unsigned>(i);
  }
  finalize(buffer);
  for (int i = 0; i < 5; ++i) {
    const int zero = 0;
    ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &zero, 4, 0, 64, 0, nullptr, nullptr));
    ASSERT_OK(clFinish(queue_));
    run(buffer);
    EXPECT_EQ(all(static_cast<int>(expected)), contents(queue_, mem, 16));
  }
}

// Each queue keeps its own order, and a barrier holds back what comes after it in both.
TEST_F(CommandBufferQueuesTest, QueuesKeepTheirOrderAndBarriersHoldAll) {
  Buffer first = zeros(), second = zeros(), sum = zeros();
  Recorded buffer = make_for(list_);
  for (const int amount : {1, 5, 2}) {
    launch_in(buffer, list_[0], twice_plus(first, amount));
    launch_in(buffer, list_[1], twice_plus(second, amount + 1));
  }
  ASSERT_OK(f_.barrier(buffer, list_[1], nullptr, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(f_.copy(buffer, list_[0], nullptr, first, sum, 0, 0, 32, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(
      f_.copy(buffer, list_[1], nullptr, second, sum, 0, 32, 32, 0, nullptr, nullptr, nullptr));
  finalize(buffer);
  run(buffer);
  std::vector<int> expected(16, 16);
  std::fill(expected.begin() + 8, expected.end(), 23);
  EXPECT_EQ(expected, contents(queue_, sum, 16));
}

TEST_F(CommandBufferQueuesTest, EventIsOfAllQueues) {
  Buffer first = zeros(), second = zeros();
  Recorded buffer = make_for(list_);
  launch_in(buffer, list_[0], twice_plus(first, 1));
  launch_in(buffer, list_[1], twice_plus(second, 2));
  finalize(buffer);
  Event gate = user_event(context_), done;
  ASSERT_OK(f_.enqueue(0, nullptr, buffer, 1, gate.list(), done.out()));
  EXPECT_EQ(nullptr, info<cl_command_queue>(clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE));
  EXPECT_EQ(context_.get(), info<cl_context>(clGetEventInfo, done, CL_EVENT_CONTEXT));
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_COMMAND_BUFFER_KHR),
            info<cl_command_type>(clGetEventInfo, done, CL_EVENT_COMMAND_TYPE));
  cl_ulong time = 0;
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  ASSERT_OK(clWaitForEvents(1, done.list()));
  EXPECT_EQ(CL_PROFILING_INFO_NOT_AVAILABLE,
            clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr));
  EXPECT_EQ(all(1), contents(queue_, first, 16));
  EXPECT_EQ(all(2), contents(queue_, second, 16));

  // One queue that profiles is enough.
  Queue profiling(clCreateCommandQueue(
      context_, info<cl_device_id>(clGetCommandQueueInfo, list_[1], CL_QUEUE_DEVICE),
      CL_QUEUE_PROFILING_ENABLE, nullptr));
  cl_command_queue others[] = {list_[0], profiling};
  Event timed;
  ASSERT_OK(f_.enqueue(2, others, buffer, 0, nullptr, timed.out()));
  ASSERT_OK(clWaitForEvents(1, timed.list()));
  EXPECT_LE(info<cl_ulong>(clGetEventProfilingInfo, timed, CL_PROFILING_COMMAND_START),
            info<cl_ulong>(clGetEventProfilingInfo, timed, CL_PROFILING_COMMAND_END));
}

TEST_F(CommandBufferQueuesTest, Queries) {
  Recorded buffer = make_for(list_);
  EXPECT_EQ(2u, info<cl_uint>(f_.info, buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR));
  std::vector<cl_command_queue> answer(2);
  size_t size = 0;
  ASSERT_OK(
      f_.info(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, 2 * sizeof answer[0], answer.data(), &size));
  EXPECT_EQ(2 * sizeof answer[0], size);
  EXPECT_EQ(list_, answer);
  EXPECT_EQ(7u, info<cl_bitfield>(clGetPlatformInfo, platform(),
                                  CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR));
  EXPECT_TRUE(
      info<cl_bitfield>(clGetDeviceInfo, device(), CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR) &
      CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR);
  for (const cl_device_id one : {device(), subs_[0] ? subs_[0].get() : device()}) {
    EXPECT_EQ(1u,
              info<cl_uint>(clGetDeviceInfo, one, CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR));
    EXPECT_EQ(device(),
              info<cl_device_id>(clGetDeviceInfo, one, CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR));
  }
}

// From two queues to others, to one, and from one to another; what was recorded stays as it is.
TEST_F(CommandBufferQueuesTest, CopiesForOtherQueues) {
  Buffer mem = zeros();
  Recorded buffer = make_for(list_, CL_COMMAND_BUFFER_MUTABLE_KHR);
  cl_mutable_command_khr handles[2] = {}, copies[2] = {};
  const cl_sync_point_khr start = launch_in(buffer, list_[0], twice_plus(mem, 1), {}, &handles[0]);
  launch_in(buffer, list_[1], twice_plus(mem, 5), {start}, &handles[1]);
  finalize(buffer);
  const auto expect = [&](cl_command_buffer_khr which, int value) {
    const int zero = 0;
    ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &zero, 4, 0, 64, 0, nullptr, nullptr));
    ASSERT_OK(clFinish(queue_));
    run(which);
    EXPECT_EQ(all(value), contents(queue_, mem, 16));
  };
  cl_int code = -1;
  const cl_command_queue swapped[] = {list_[1], out_of_order_};
  Recorded other(f_.remap(buffer, CL_FALSE, 2, swapped, 2, handles, copies, &code));
  ASSERT_OK(code);
  Recorded single(f_.remap(buffer, CL_TRUE, 1, list_.data(), 0, nullptr, nullptr, &code));
  ASSERT_OK(code);
  for (cl_command_buffer_khr which : {buffer.get(), other.get(), single.get()}) expect(which, 7);
  EXPECT_EQ(swapped[1], info<cl_command_queue>(f_.command_info, copies[1],
                                               CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR));
  EXPECT_EQ(other.get(), info<cl_command_buffer_khr>(f_.command_info, copies[1],
                                                     CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR));
  EXPECT_EQ(1u, info<cl_uint>(f_.info, single, CL_COMMAND_BUFFER_NUM_QUEUES_KHR));

  // An update of a copy's command changes that copy alone, and the copy outlives the original.
  const int amount = 10;
  const cl_mutable_dispatch_arg_khr argument{1, sizeof amount, &amount};
  api::cl_mutable_dispatch_config_khr config{};
  config.command = copies[1];
  config.num_args = 1;
  config.arg_list = &argument;
  const cl_uint type = api::kMutableDispatchConfig;
  const void* configs[] = {&config};
  ASSERT_OK(f_.update(other, 1, &type, configs));
  expect(other, 12);
  expect(buffer, 7);
  buffer.reset();
  expect(other, 12);
}

// A copy of what is still recorded goes on from there: its sync points, and its queues' order.
TEST_F(CommandBufferQueuesTest, CopiesWhileRecording) {
  Buffer mem = zeros();
  Recorded buffer = make_for(list_);
  const cl_sync_point_khr start = launch_in(buffer, list_[0], twice_plus(mem, 1));
  cl_int code = -1;
  Recorded copy(f_.remap(buffer, CL_FALSE, 2, list_.data(), 0, nullptr, nullptr, &code));
  ASSERT_OK(code);
  const cl_sync_point_khr next = launch_in(copy, list_[1], twice_plus(mem, 5), {start});
  ASSERT_OK(f_.barrier(copy, list_[0], nullptr, 1, &next, nullptr, nullptr));
  launch_in(copy, list_[0], twice_plus(mem, 3));
  finalize(copy);
  run(copy);
  EXPECT_EQ(all(17), contents(queue_, mem, 16));
  EXPECT_EQ(CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            static_cast<int>(
                info<cl_command_buffer_state_khr>(f_.info, buffer, CL_COMMAND_BUFFER_STATE_KHR)));
}

TEST_F(CommandBufferQueuesTest, BadArguments) {
  Context other_context = make_context();
  Queue foreign = make_queue(other_context);
  Buffer mem = zeros();
  Recorded b = make_for(list_), single = make(queue_), finalized = make_for(list_);
  finalize(finalized);
  Kernel step = twice_plus(mem, 1);
  cl_mutable_command_khr alien = nullptr, out[1] = {};
  launch(single, step, {}, &alien);
  const auto wrong = as<cl_command_queue>(context_.get());
  const auto no_buffer = as<cl_command_buffer_khr>(context_.get());
  const std::vector<cl_command_queue> mixed = {list_[0], foreign}, bad = {list_[0], wrong},
                                      same = {list_[0], list_[0]};
  std::vector<cl_command_queue> swapped = {list_[1], list_[0]}, enqueued = mixed;
  const cl_command_queue* q = list_.data();
  const size_t items = 16;
#define LAUNCH_IN(queue) \
  f_.launch(b, queue, nullptr, step, 1, nullptr, &items, nullptr, 0, nullptr, nullptr, nullptr)
#define BARRIER_IN(queue) f_.barrier(b, queue, nullptr, 0, nullptr, nullptr, nullptr)
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, f_.create(2, mixed.data(), nullptr, err)),
      BAD_CREATE(CL_INVALID_COMMAND_QUEUE, f_.create(2, bad.data(), nullptr, err)),
      BAD(CL_INVALID_COMMAND_QUEUE, LAUNCH_IN(nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, LAUNCH_IN(wrong)),
      BAD(CL_INVALID_COMMAND_QUEUE, LAUNCH_IN(queue_)),
      BAD(CL_INVALID_CONTEXT, LAUNCH_IN(foreign)),
      BAD(CL_INVALID_COMMAND_QUEUE, BARRIER_IN(nullptr)),
      BAD(CL_INVALID_CONTEXT, BARRIER_IN(foreign)),
      BAD(CL_INVALID_VALUE, f_.enqueue(1, &enqueued[0], finalized, 0, nullptr, nullptr)),
      BAD(CL_INVALID_CONTEXT, f_.enqueue(2, &enqueued[0], finalized, 0, nullptr, nullptr)),
      BAD_CREATE(CL_INVALID_COMMAND_BUFFER_KHR,
                 f_.remap(nullptr, CL_FALSE, 2, q, 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_COMMAND_BUFFER_KHR,
                 f_.remap(no_buffer, CL_FALSE, 2, q, 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.remap(b, CL_FALSE, 0, q, 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.remap(b, CL_FALSE, 2, nullptr, 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.remap(b, CL_FALSE, 1, q, 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.remap(b, CL_FALSE, 2, q, 1, nullptr, out, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.remap(b, CL_FALSE, 2, q, 1, &alien, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.remap(b, CL_FALSE, 2, q, 0, nullptr, out, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.remap(b, CL_FALSE, 2, q, 1, &alien, out, err)),
      BAD_CREATE(CL_INVALID_COMMAND_QUEUE,
                 f_.remap(b, CL_FALSE, 2, bad.data(), 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_CONTEXT,
                 f_.remap(b, CL_FALSE, 2, mixed.data(), 0, nullptr, nullptr, err)),
  });
  EXPECT_EQ(nullptr, out[0]);
  if (subs_[0]) {
    EXPECT_EQ(CL_INVALID_DEVICE, f_.enqueue(2, swapped.data(), finalized, 0, nullptr, nullptr));
  }
  make_for(same);  // a queue may be named twice
#undef BARRIER_IN
#undef LAUNCH_IN
}

}  // namespace
}  // namespace conclave::test
