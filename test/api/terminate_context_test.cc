// SPDX-License-Identifier: Apache-2.0
// cl_khr_terminate_context: a context ends before its commands do.
#include <CL/cl_ext_conclave.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "api_test.h"
#include "child_process.h"
#include "told.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  kernel void spin(volatile global int* flag) { while (flag[get_global_id(0)] != 12345) {} }
  kernel void spin_in_groups(volatile global int* flag) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    while (flag[get_global_id(0)] != 12345) {}
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
  kernel void set(global int* out, int value) { out[get_global_id(0)] = value; })";

#ifdef __SANITIZE_THREAD__
constexpr bool kSignalsWait = true;
#else
constexpr bool kSignalsWait = false;
#endif

class TerminateContextTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    terminate_ = reinterpret_cast<clTerminateContextKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(platform(), "clTerminateContextKHR"));
    ASSERT_NE(nullptr, terminate_);
    const cl_context_properties kProperties[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    cl_device_id only = device();
    cl_int err = 0;
    doomed_ = Context(clCreateContext(kProperties, 1, &only, Told::add, &told_, &err));
    ASSERT_OK(err);
    doomed_queue_ = make_queue(doomed_);
    spinning_ = build(doomed_, kSource);
    flags_ = make_buffer(doomed_, std::vector<int>(kItems, 0));
  }

  Event enqueue(cl_command_queue queue, const char* name, const std::vector<int>& numbers = {},
                const std::vector<cl_event>& wait = {}) {
    return launch(queue, make_kernel(spinning_, name), flags_, numbers, kItems, wait);
  }
  static bool begins(const Event& event) {
    return eventually([&] { return event_status(event) == CL_RUNNING; });
  }
  // A wait returns at once, and says so.
  static void expect_terminated(const Event& event) {
    EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
    EXPECT_CL(CL_CONTEXT_TERMINATED_KHR, event_status(event));
  }

  static constexpr size_t kItems = 1 << 12;
  clTerminateContextKHR_fn terminate_ = nullptr;
  Context doomed_;
  Queue doomed_queue_;
  Program spinning_;
  Buffer flags_;
  Told told_;
};

TEST_F(TerminateContextTest, RunningKernelsAreLeft) {
  if (kSignalsWait)
    GTEST_SKIP() << "a signal in an endless loop waits for ThreadSanitizer's next function";
  const Event running = enqueue(doomed_queue_, "spin");
  const Event in_groups = enqueue(make_queue(doomed_), "spin_in_groups");
  ASSERT_OK(clFlush(doomed_queue_));
  ASSERT_TRUE(begins(running));
  EXPECT_OK(terminate_(doomed_));
  EXPECT_EQ(std::vector<std::string>{"the context has been terminated"}, told_.take());
  expect_terminated(running);
  expect_terminated(in_groups);
  // Others go on.
  Buffer sum = make_buffer(context_, std::vector<int>(64, 1));
  const Event other = launch(queue_, kernel("add"), sum, {4}, 64);
  EXPECT_OK(clWaitForEvents(1, other.list()));
  EXPECT_EQ(std::vector<int>(64, 5), contents(queue_, sum, 64));
}

TEST_F(TerminateContextTest, CommandsThatWaitEndToo) {
  if (kSignalsWait)
    GTEST_SKIP() << "a signal in an endless loop waits for ThreadSanitizer's next function";
  Queue any_order = make_queue(doomed_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event gate = user_event(doomed_);
  const Event running = enqueue(doomed_queue_, "spin");
  const Event behind = enqueue(doomed_queue_, "set", {1});
  const Event behind_gate = enqueue(any_order, "set", {2}, {gate});
  Event marker, copy;
  ASSERT_OK(clEnqueueMarkerWithWaitList(any_order, 1, behind_gate.list(), marker.out()));
  int five = 5;
  ASSERT_OK(clEnqueueFillBuffer(any_order, flags_, &five, sizeof five, 0, 64, 1, gate.list(),
                                copy.out()));
  ASSERT_OK(clFlush(doomed_queue_));
  ASSERT_TRUE(begins(running));
  EXPECT_OK(terminate_(doomed_));
  for (const Event* event :
       std::initializer_list<const Event*>{&running, &behind, &behind_gate, &marker, &copy})
    expect_terminated(*event);
  EXPECT_OK(clFinish(doomed_queue_));
  EXPECT_OK(clFinish(any_order));
  // "The status of user events can be set."
  EXPECT_CL(CL_SUBMITTED, event_status(gate));
  EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_CL(CL_COMPLETE, event_status(gate));
}

// A chain of commands that become ready by one another's end must not take up the stack.
TEST_F(TerminateContextTest, LongChainsEnd) {
  Event gate = user_event(doomed_), last;
  for (int i = 0; i < 20000; ++i)
    ASSERT_OK(clEnqueueMarkerWithWaitList(doomed_queue_, i == 0, i == 0 ? gate.list() : nullptr,
                                          last.out()));
  EXPECT_OK(terminate_(doomed_));
  expect_terminated(last);
}

// A thread that waits in a blocking call is freed, and told.
TEST_F(TerminateContextTest, BlockingCallsReturn) {
  if (kSignalsWait)
    GTEST_SKIP() << "a signal in an endless loop waits for ThreadSanitizer's next function";
  const Event running = enqueue(doomed_queue_, "spin");
  ASSERT_OK(clFlush(doomed_queue_));
  ASSERT_TRUE(begins(running));
  cl_int status = 1;
  std::thread reader([&] {
    int value = 0;
    status = clEnqueueReadBuffer(doomed_queue_, flags_, CL_TRUE, 0, sizeof value, &value, 0,
                                 nullptr, nullptr);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_OK(terminate_(doomed_));
  reader.join();
  EXPECT_CL(CL_CONTEXT_TERMINATED_KHR, status);
}

TEST_F(TerminateContextTest, CallbacksAreCalled) {
  std::atomic<cl_int> told{1};
  Event gate = user_event(doomed_);
  const Event waiting = enqueue(doomed_queue_, "set", {3}, {gate});
  ASSERT_OK(clSetEventCallback(
      waiting, CL_COMPLETE,
      [](cl_event, cl_int status, void* data) {
        *static_cast<std::atomic<cl_int>*>(data) = status;
      },
      &told));
  EXPECT_OK(terminate_(doomed_));
  EXPECT_TRUE(eventually([&] { return told != 1; }));
  EXPECT_CL(CL_CONTEXT_TERMINATED_KHR, told);
  cl_ulong time = 0;
  EXPECT_CL(
      CL_PROFILING_INFO_NOT_AVAILABLE,
      clGetEventProfilingInfo(waiting, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr));
}

TEST_F(TerminateContextTest, NothingNewIsMadeOfIt) {
  Kernel kernel = make_kernel(spinning_, "set");
  ASSERT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), flags_.list()));
  EXPECT_OK(terminate_(doomed_));
  const size_t kOne[] = {1};
  const cl_buffer_region kRegion = {0, 128};
  const char* source = "kernel void f() {}";
  int value = 0;
  expect_all({
      BAD(CL_CONTEXT_TERMINATED_KHR, terminate_(doomed_)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR, clCreateBuffer(doomed_, 0, 64, nullptr, err)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR,
                 clCreateSubBuffer(flags_, 0, CL_BUFFER_CREATE_TYPE_REGION, &kRegion, err)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR, clCreateUserEvent(doomed_, err)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR,
                 clCreateCommandQueueWithProperties(doomed_, device(), nullptr, err)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR,
                 clCreateProgramWithSource(doomed_, 1, &source, nullptr, err)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR, clCreateKernel(spinning_, "set", err)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR, clCloneKernel(kernel, err)),
      BAD_CREATE(CL_CONTEXT_TERMINATED_KHR, clCreateSamplerWithProperties(doomed_, nullptr, err)),
      BAD(CL_CONTEXT_TERMINATED_KHR, clCreateKernelsInProgram(spinning_, 0, nullptr, nullptr)),
      BAD(CL_CONTEXT_TERMINATED_KHR, clEnqueueNDRangeKernel(doomed_queue_, kernel, 1, nullptr, kOne,
                                                            nullptr, 0, nullptr, nullptr)),
      BAD(CL_CONTEXT_TERMINATED_KHR,
          clEnqueueReadBuffer(doomed_queue_, flags_, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr)),
      BAD(CL_CONTEXT_TERMINATED_KHR,
          clEnqueueMarkerWithWaitList(doomed_queue_, 0, nullptr, nullptr)),
  });
  EXPECT_EQ(nullptr, clSVMAlloc(doomed_, CL_MEM_READ_WRITE, 64, 0));
  // Queries, retain and release.
  EXPECT_EQ(1u, info<cl_uint>(clGetContextInfo, doomed_, CL_CONTEXT_NUM_DEVICES));
  EXPECT_OK(clRetainContext(doomed_));
  EXPECT_OK(clReleaseContext(doomed_));
  EXPECT_EQ(doomed_.get(), info<cl_context>(clGetMemObjectInfo, flags_, CL_MEM_CONTEXT));
}

// Whatever the others are doing in that moment, all of it ends.
TEST_F(TerminateContextTest, WhileOthersEnqueue) {
  constexpr size_t kThreads = 3, kSome = 64;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> enqueued{0};
    Event gate = user_event(doomed_);
    const auto enqueue_until_refused = [&](cl_command_queue queue, cl_kernel set) {
      cl_int status = CL_SUCCESS;
      for (int i = 0; status == CL_SUCCESS; ++i, ++enqueued) {
        const bool waits = i % 7 == 6;
        status = clEnqueueNDRangeKernel(queue, set, 1, nullptr, &kSome, nullptr, waits,
                                        waits ? gate.list() : nullptr, nullptr);
        if (i % 10 == 0 && status == CL_SUCCESS) status = clFlush(queue);
      }
      EXPECT_CL(CL_CONTEXT_TERMINATED_KHR, status);
      EXPECT_OK(clFinish(queue));
    };
    std::vector<Queue> queues;
    std::vector<Kernel> kernels;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      queues.push_back(make_queue(doomed_, i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
      kernels.push_back(make_kernel(spinning_, "set"));
      ASSERT_OK(clSetKernelArg(kernels[i], 0, sizeof(cl_mem), flags_.list()));
      ASSERT_OK(clSetKernelArg(kernels[i], 1, sizeof round, &round));
    }
    for (size_t i = 0; i < kThreads; ++i)
      threads.emplace_back(enqueue_until_refused, queues[i].get(), kernels[i].get());
    EXPECT_TRUE(eventually([&] { return enqueued > 200; }));
    EXPECT_OK(terminate_(doomed_));
    for (std::thread& thread : threads) thread.join();
    SetUp();  // with another context
  }
}

TEST_F(TerminateContextTest, OnlyWhereItWasAskedFor) {
  const auto of_device = [](cl_device_info name) {
    return info<cl_device_terminate_capability_khr>(clGetDeviceInfo, device(), name);
  };
  EXPECT_EQ(
      static_cast<cl_device_terminate_capability_khr>(CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR),
      of_device(CL_DEVICE_TERMINATE_CAPABILITY_KHR));
  cl_device_id only = device();
  const cl_context_properties kNo[] = {CL_CONTEXT_TERMINATE_KHR, CL_FALSE, 0};
  const cl_context_properties kNoBool[] = {CL_CONTEXT_TERMINATE_KHR, 2, 0};
  const cl_context_properties kTwice[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE,
                                          CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
  cl_int err = 0;
  Context lasting(clCreateContext(kNo, 1, &only, nullptr, nullptr, &err));
  ASSERT_OK(err);
  expect_all({
      BAD(CL_INVALID_CONTEXT, terminate_(nullptr)),
      BAD(CL_INVALID_OPERATION, terminate_(lasting)),
      BAD(CL_INVALID_OPERATION, terminate_(context_)),
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContext(kNoBool, 1, &only, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContext(kTwice, 1, &only, nullptr, nullptr, err)),
  });
}

}  // namespace
}  // namespace conclave::test
