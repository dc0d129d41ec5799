// SPDX-License-Identifier: Apache-2.0
// Kernels that end before they come to their end: abort(), exit(), time limits.
#include "api_test.h"
#include "child_process.h"

#include <CL/cl_ext_conclave.h>

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  void stop(int how);
  kernel void leave(global int* out, int where, int how) {
    int i = get_global_id(0);
    if (i == where) {
      if (how == 1) abort();
      if (how == 2) exit(3);
      stop(how - 2);
    }
    out[i] = i;
  }
  kernel void leave_between_barriers(global int* out, int where) {
    local int x[64];
    x[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == where) abort();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[63 - get_local_id(0)];
  }
  void sleep_for_ever(void);
  void count_for_ever(volatile global int* counter);
  kernel void loop(volatile global int* out) { while (out[get_global_id(0)] != 12345) {} }
  kernel void loop_in_c(volatile global int* out) { count_for_ever(out); }
  kernel void sleep(global int* out) { sleep_for_ever(); }
  kernel void print_for_ever(global int* out) { for (;;) printf(""); }
  kernel void in_time(global int* out) {
    int x = get_global_id(0);
    for (int i = 0; i < 20000; ++i) x = x * 1103515245 + 12345;
    out[get_global_id(0)] = x;
  }
  kernel void slow(global int* out) {
    int x = get_global_id(0);
    for (int i = 0; i < 1000000; ++i) x = x * 1103515245 + 12345;
    out[get_global_id(0)] = x;
  }
  kernel void leave_while_others_wait(volatile global int* go) {
    if (get_group_id(0) == 0) abort();
    while (*go == 0) {}
  })";

class LeaveKernelTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    program_ = build(context_, kSource, CONCLAVE_TEST_PLAIN_OBJECT);
    out_ = make_buffer(context_, std::vector<int>(kItems, -1));
  }
  Event enqueue(cl_command_queue queue, const char* name, std::vector<int> arguments,
                const std::vector<cl_event>& wait = {}) {
    return launch(queue, make_kernel(program_, name), out_, arguments, kItems, wait);
  }
  // The kernel's event has `status`, and the queue goes on.
  void expect_ends_with(cl_int status, const Event& event) {
    EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
    EXPECT_CL(status, event_status(event));
    EXPECT_OK(clFinish(queue_));
    const Event next = enqueue(queue_, "leave", {-1, 0});
    EXPECT_OK(clWaitForEvents(1, next.list()));
    EXPECT_EQ(static_cast<int>(kItems) - 1, contents(queue_, out_, kItems).back());
  }

  static constexpr size_t kItems = 1 << 14;
  Buffer out_;
};

TEST_F(LeaveKernelTest, AbortAndExitInOpenClC) {
  expect_ends_with(CL_ERROR_KERNEL_ABORT_TI, enqueue(queue_, "leave", {5000, 1}));
  expect_ends_with(CL_ERROR_KERNEL_EXIT_TI, enqueue(queue_, "leave", {77, 2}));
}

TEST_F(LeaveKernelTest, AbortAndExitInC) {
  expect_ends_with(CL_ERROR_KERNEL_ABORT_TI, enqueue(queue_, "leave", {5000, 3}));
  expect_ends_with(CL_ERROR_KERNEL_EXIT_TI, enqueue(queue_, "leave", {77, 4}));
}

TEST_F(LeaveKernelTest, WhereNoCCodeIsLinked) {
  program_ =
      build(context_, "kernel void k(global int* a) { if (get_global_id(0) == 9) abort(); }");
  const Event event = enqueue(queue_, "k", {});
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
  EXPECT_CL(CL_ERROR_KERNEL_ABORT_TI, event_status(event));
}

TEST_F(LeaveKernelTest, BetweenBarriers) {
  expect_ends_with(CL_ERROR_KERNEL_ABORT_TI, enqueue(queue_, "leave_between_barriers", {700}));
}

TEST_F(LeaveKernelTest, AllWorkGroupsEnd) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a signal in an endless loop waits for ThreadSanitizer's next function";
#endif
  ASSERT_OK(clEnqueueFillBuffer(queue_, out_, "\0\0\0", 4, 0, 4, 0, nullptr, nullptr));
  expect_ends_with(CL_ERROR_KERNEL_ABORT_TI, enqueue(queue_, "leave_while_others_wait", {}));
}

TEST_F(LeaveKernelTest, ManyTimesInARow) {
  for (int i = 0; i < 200; ++i)
    expect_ends_with(CL_ERROR_KERNEL_ABORT_TI, enqueue(queue_, "leave", {i * 80, 1 + 2 * (i % 2)}));
}

TEST_F(LeaveKernelTest, InAnOutOfOrderQueueAndATask) {
  Queue queue = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const Event first = enqueue(queue, "leave", {5000, 1}), second = enqueue(queue, "leave", {9, 2});
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, first.list()));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, second.list()));
  EXPECT_CL(CL_ERROR_KERNEL_ABORT_TI, event_status(first));
  EXPECT_CL(CL_ERROR_KERNEL_EXIT_TI, event_status(second));

  Kernel kernel = make_kernel(program_, "leave");
  const int where = 0, how = 4;
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
  EXPECT_OK(clSetKernelArg(kernel, 1, sizeof where, &where));
  EXPECT_OK(clSetKernelArg(kernel, 2, sizeof how, &how));
  Event task;
  ASSERT_OK(clEnqueueTask(queue, kernel, 0, nullptr, task.out()));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, task.list()));
  EXPECT_CL(CL_ERROR_KERNEL_EXIT_TI, event_status(task));
}

TEST_F(LeaveKernelTest, CommandsThatWaitForItFail) {
  Queue queue = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const Event first = enqueue(queue, "leave", {5000, 1});
  const Event second = enqueue(queue, "leave", {-1, 0}, {first});
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, second.list()));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, event_status(second));
}

class TimeoutTest : public LeaveKernelTest {
 protected:
  void SetUp() override {
    LeaveKernelTest::SetUp();
    if (IsSkipped()) return;
    limited_ = make_queue(context_, CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI);
    set_timeout_ = reinterpret_cast<__ti_set_kernel_timeout_ms_fn>(
        clGetExtensionFunctionAddressForPlatform(platform(), "__ti_set_kernel_timeout_ms"));
    ASSERT_NE(nullptr, set_timeout_);
  }
  Event enqueue_limited(const char* name, cl_uint ms, size_t items = kItems) {
    Kernel kernel = make_kernel(program_, name);
    EXPECT_OK(set_timeout_(kernel, ms));
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
    Event event;
    EXPECT_OK(clEnqueueNDRangeKernel(limited_, kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                                     event.out()));
    return event;
  }

  Queue limited_;
  __ti_set_kernel_timeout_ms_fn set_timeout_ = nullptr;
};

TEST_F(TimeoutTest, AKernelThatNeverEnds) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps signals back until a thread calls a function it knows";
#endif
  for (const char* name : {"loop", "loop_in_c", "sleep", "print_for_ever"}) {
    SCOPED_TRACE(name);
    expect_ends_with(CL_ERROR_KERNEL_TIMEOUT_TI, enqueue_limited(name, 20));
    expect_ends_with(CL_ERROR_KERNEL_TIMEOUT_TI, enqueue_limited(name, 20, 1));
  }
}

TEST_F(TimeoutTest, AKernelThatEndsInTime) {
  const Event event = enqueue_limited("in_time", 20000);
  EXPECT_OK(clWaitForEvents(1, event.list()));
  EXPECT_CL(CL_COMPLETE, event_status(event));
}

// The kernel has many work-groups, each of which would end it.
TEST_F(TimeoutTest, TheSumOfWorkGroupsCounts) {
  expect_ends_with(CL_ERROR_KERNEL_TIMEOUT_TI, enqueue_limited("slow", 1));
}

TEST_F(TimeoutTest, OtherQueuesHaveNoLimit) {
  Kernel kernel = make_kernel(program_, "in_time");
  EXPECT_OK(set_timeout_(kernel, 1));
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
  ASSERT_OK(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr));
  EXPECT_OK(clFinish(queue_));
}

TEST_F(TimeoutTest, BadHandles) {
  EXPECT_CL(CL_INVALID_KERNEL, set_timeout_(nullptr, 1));
  EXPECT_CL(CL_INVALID_KERNEL, set_timeout_(as<cl_kernel>(queue_.get()), 1));
}

int end_of_a_loop(cl_command_queue_properties properties) {
  Context context = make_context();
  Queue queue = make_queue(context, properties);
  Program program = build(context, "kernel void k(volatile global int* a) { while (!*a) {} }");
  Kernel kernel = make_kernel(program, "k");
  Buffer zero = make_buffer(context, std::vector<int>(1));
  clSetKernelArg(kernel, 0, sizeof(cl_mem), zero.list());
  const size_t items = 100;
  Event event;
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr,
                               event.out()) == CL_SUCCESS);
  clWaitForEvents(1, event.list());
  CHECK(event_status(event) == CL_ERROR_KERNEL_TIMEOUT_TI);
  return 0;
}
CHILD_PROCESS(end_of_any_loop) {
  return end_of_a_loop(0);
}
CHILD_PROCESS(end_of_a_loop_in_its_queue) {
  return end_of_a_loop(CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI);
}

TEST_F(TimeoutTest, TheConfigurationHasLimits) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps signals back until a thread calls a function it knows";
#endif
  ChildResult result = run_child("end_of_any_loop", {{"CONCLAVE_WATCHDOG_MS", "30"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
  result = run_child("end_of_a_loop_in_its_queue", {{"TI_OCL_KERNEL_TIMEOUT_COMPUTE_UNIT", "30"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
}

// Who defines functions of these names has them.
TEST_F(LeaveKernelTest, AProgramMayHaveItsOwn) {
  program_ = build(context_, R"(
    void abort(void) {}
    kernel void k(global int* a) { abort(); a[get_global_id(0)] = 7; })");
  const Event event = enqueue(queue_, "k", {});
  EXPECT_OK(clWaitForEvents(1, event.list()));
  EXPECT_EQ(7, contents(queue_, out_, 1)[0]);
}

}  // namespace
}  // namespace conclave::test
