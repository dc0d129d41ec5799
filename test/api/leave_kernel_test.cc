// SPDX-License-Identifier: Apache-2.0
// Kernels that end before they come to their end: abort(), exit().
#include "api_test.h"

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
    Kernel kernel = make_kernel(program_, name);
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
    for (cl_uint i = 0; i < arguments.size(); ++i)
      EXPECT_OK(clSetKernelArg(kernel, i + 1, sizeof(int), &arguments[i]));
    Event event;
    const size_t group = 64;
    EXPECT_OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kItems, &group,
                                     static_cast<cl_uint>(wait.size()),
                                     wait.empty() ? nullptr : wait.data(), event.out()));
    return event;
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
  program_ = build(context_, "kernel void k(global int* a) { if (get_global_id(0) == 9) abort(); }");
  const Event event = enqueue(queue_, "k", {});
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
  EXPECT_CL(CL_ERROR_KERNEL_ABORT_TI, event_status(event));
}

TEST_F(LeaveKernelTest, BetweenBarriers) {
  expect_ends_with(CL_ERROR_KERNEL_ABORT_TI, enqueue(queue_, "leave_between_barriers", {700}));
}

TEST_F(LeaveKernelTest, AllWorkGroupsEnd) {
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
