// SPDX-License-Identifier: Apache-2.0
// The order of commands: in-order and out-of-order queues, barriers, markers, old and new; and the
// commands that run host code or one work-item.
#include <cstring>
#include <thread>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

constexpr cl_command_queue_properties kOutOfOrder = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

class OrderingTest : public ApiTest {
 protected:
  // Fills the first 16 integers of `mem`; waits for `gate` unless null.
  Event fill(cl_command_queue queue, cl_mem mem, int value, cl_event gate = nullptr) {
    Event done;
    EXPECT_OK(clEnqueueFillBuffer(queue, mem, &value, sizeof value, 0, 64, gate ? 1 : 0,
                                  gate ? &gate : nullptr, done.out()));
    return done;
  }
  Buffer zeros() { return make_buffer(context_, std::vector<int>(16, 0)); }
  void open(cl_event gate) { EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE)); }
};

// x -> 2x + k does not commute, so any change of order shows.
TEST_F(OrderingTest, InOrderQueueKeepsTheOrder) {
  Buffer mem = make_buffer(context_, std::vector<int>(64, 1));
  Kernel step = kernel("twice_plus");
  ASSERT_OK(clSetKernelArg(step, 0, sizeof(cl_mem), mem.list()));
  unsigned expected = 1;
  size_t items = 64;
  for (int i = 0; i < 200; ++i) {
    // The argument's value at the time of the enqueue counts, so it may be changed at once.
    int amount = i % 7;
    ASSERT_OK(clSetKernelArg(step, 1, sizeof amount, &amount));
    ASSERT_OK(
        clEnqueueNDRangeKernel(queue_, step, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    expected = expected * 2 + static_cast<unsigned>(amount);
  }
  EXPECT_EQ(std::vector<int>(64, static_cast<int>(expected)), contents(queue_, mem, 64));
}

TEST_F(OrderingTest, InOrderQueueWaitsForItsHead) {
  Buffer mem = zeros();
  Event gate = user_event(context_);
  Event first = fill(queue_, mem, 1, gate), second = fill(queue_, mem, 2);
  ASSERT_OK(clFlush(queue_));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(event_status(second), CL_RUNNING);
  open(gate);
  ASSERT_OK(clFinish(queue_));
  EXPECT_EQ(CL_COMPLETE, event_status(first));
  EXPECT_EQ(std::vector<int>(16, 2), contents(queue_, mem, 16));
}

TEST_F(OrderingTest, OutOfOrderQueuePassesABlockedCommand) {
  Queue queue = make_queue(context_, kOutOfOrder);
  Buffer a = zeros(), b = zeros();
  Event gate = user_event(context_);
  Event blocked = fill(queue, a, 1, gate), free = fill(queue, b, 2);
  ASSERT_OK(clFlush(queue));
  EXPECT_TRUE(eventually([&] { return event_status(free) == CL_COMPLETE; }));
  EXPECT_GT(event_status(blocked), CL_RUNNING);
  open(gate);
  ASSERT_OK(clFinish(queue));
  EXPECT_EQ(CL_COMPLETE, event_status(blocked));
}

TEST_F(OrderingTest, WaitListsOrderAnOutOfOrderQueue) {
  Queue queue = make_queue(context_, kOutOfOrder);
  Buffer mem = make_buffer(context_, std::vector<int>(64, 1));
  Kernel step = kernel("twice_plus");
  ASSERT_OK(clSetKernelArg(step, 0, sizeof(cl_mem), mem.list()));
  unsigned expected = 1;
  size_t items = 64;
  Event last = user_event(context_);
  cl_event gate = last;
  ASSERT_OK(clRetainEvent(gate));
  for (int amount = 0; amount < 100; ++amount) {
    ASSERT_OK(clSetKernelArg(step, 1, sizeof amount, &amount));
    Event next;
    ASSERT_OK(clEnqueueNDRangeKernel(queue, step, 1, nullptr, &items, nullptr, 1, last.list(),
                                     next.out()));
    last = std::move(next);
    expected = expected * 2 + static_cast<unsigned>(amount);
  }
  open(gate);
  ASSERT_OK(clReleaseEvent(gate));
  ASSERT_OK(clFinish(queue));
  EXPECT_EQ(std::vector<int>(64, static_cast<int>(expected)), contents(queue, mem, 64));
}

TEST_F(OrderingTest, EventsOrderTwoQueues) {
  Queue other = make_queue(context_);
  Buffer mem = zeros();
  Event gate = user_event(context_);
  Event first = fill(queue_, mem, 1, gate);
  Event second = fill(other, mem, 2, first);
  Event third = fill(queue_, mem, 3, second);
  ASSERT_OK(clFlush(queue_));
  ASSERT_OK(clFlush(other));
  open(gate);
  ASSERT_OK(clWaitForEvents(1, third.list()));
  EXPECT_EQ(std::vector<int>(16, 3), contents(queue_, mem, 16));
}

// What may stand between two commands of an out-of-order queue so that the second waits.
TEST_F(OrderingTest, BarriersHoldBackAnOutOfOrderQueue) {
  const struct {
    const char* name;
    std::function<cl_int(cl_command_queue)> enqueue;
  } kBarriers[] = {
      {"clEnqueueBarrier", [](cl_command_queue q) { return clEnqueueBarrier(q); }},
      {"clEnqueueBarrierWithWaitList",
       [](cl_command_queue q) { return clEnqueueBarrierWithWaitList(q, 0, nullptr, nullptr); }},
  };
  for (const auto& barrier : kBarriers) {
    SCOPED_TRACE(barrier.name);
    Queue queue = make_queue(context_, kOutOfOrder);
    Buffer a = zeros(), b = zeros();
    Event gate = user_event(context_);
    Event before = fill(queue, a, 1, gate);
    ASSERT_OK(barrier.enqueue(queue));
    Event after = fill(queue, b, 2);
    ASSERT_OK(clFlush(queue));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_GT(event_status(after), CL_RUNNING);
    open(gate);
    ASSERT_OK(clWaitForEvents(1, after.list()));
    EXPECT_EQ(CL_COMPLETE, event_status(before));
  }
}

// With a wait list, a barrier waits for that alone, and later commands wait for the barrier.
TEST_F(OrderingTest, BarrierWithWaitListWaitsForTheListOnly) {
  Queue queue = make_queue(context_, kOutOfOrder);
  Buffer a = zeros(), b = zeros();
  Event unrelated_gate = user_event(context_), gate = user_event(context_), barrier;
  Event unrelated = fill(queue, a, 1, unrelated_gate);
  ASSERT_OK(clEnqueueBarrierWithWaitList(queue, 1, gate.list(), barrier.out()));
  Event after = fill(queue, b, 2);
  ASSERT_OK(clFlush(queue));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(event_status(after), CL_RUNNING);
  open(gate);
  EXPECT_TRUE(eventually([&] { return event_status(after) == CL_COMPLETE; }));
  EXPECT_EQ(CL_COMPLETE, event_status(barrier));
  EXPECT_GT(event_status(unrelated), CL_RUNNING);
  open(unrelated_gate);
  ASSERT_OK(clFinish(queue));
}

TEST_F(OrderingTest, WaitForEventsHoldsBackLaterCommands) {
  Queue queue = make_queue(context_, kOutOfOrder);
  Buffer mem = zeros();
  Event gate = user_event(context_);
  ASSERT_OK(clEnqueueWaitForEvents(queue, 1, gate.list()));
  Event after = fill(queue, mem, 2);
  ASSERT_OK(clFlush(queue));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(event_status(after), CL_RUNNING);
  open(gate);
  ASSERT_OK(clWaitForEvents(1, after.list()));
}

// A marker completes after everything before it, and holds nothing back.
TEST_F(OrderingTest, MarkersWaitButDoNotBlock) {
  const struct {
    const char* name;
    std::function<cl_int(cl_command_queue, cl_event*)> enqueue;
  } kMarkers[] = {
      {"clEnqueueMarker", [](cl_command_queue q, cl_event* e) { return clEnqueueMarker(q, e); }},
      {"clEnqueueMarkerWithWaitList",
       [](cl_command_queue q, cl_event* e) {
         return clEnqueueMarkerWithWaitList(q, 0, nullptr, e);
       }},
  };
  for (const auto& row : kMarkers) {
    SCOPED_TRACE(row.name);
    Queue queue = make_queue(context_, kOutOfOrder);
    Buffer a = zeros(), b = zeros();
    Event gate = user_event(context_), marker;
    Event before = fill(queue, a, 1, gate);
    ASSERT_OK(row.enqueue(queue, marker.out()));
    Event after = fill(queue, b, 2);
    ASSERT_OK(clFlush(queue));
    EXPECT_TRUE(eventually([&] { return event_status(after) == CL_COMPLETE; }));
    EXPECT_GT(event_status(marker), CL_COMPLETE);
    open(gate);
    ASSERT_OK(clWaitForEvents(1, marker.list()));
    EXPECT_EQ(CL_COMPLETE, event_status(before));
  }
}

TEST_F(OrderingTest, FinishWaitsForEverything) {
  for (cl_command_queue_properties properties : {cl_command_queue_properties{0}, kOutOfOrder}) {
    Queue queue = make_queue(context_, properties);
    std::vector<Buffer> buffers;
    std::vector<Event> events;
    for (int i = 0; i < 50; ++i) {
      buffers.push_back(zeros());
      events.push_back(fill(queue, buffers.back(), i));
    }
    ASSERT_OK(clFinish(queue));
    for (const Event& event : events) EXPECT_EQ(CL_COMPLETE, event_status(event));
  }
}

// OpenCL does not promise it, but GPUs begin work-groups in order, and programs rely on that.
TEST_F(OrderingTest, AGroupMayWaitForTheOneBefore) {
  const char* const kPrefixSum = R"(
    kernel void prefix_sum(global int* data, global volatile int* sums) {
      const size_t group = get_group_id(0);
      int before = 0;
      if (group > 0)
        while ((before = sums[group - 1]) == 0) mem_fence(CLK_GLOBAL_MEM_FENCE);
      const int sum = before + data[group];
      data[group] = sum;
      sums[group] = sum;
    })";
  constexpr size_t kGroups = 20'000;
  const size_t one = 1;
  Program program = build(context_, kPrefixSum);
  Kernel kernel = make_kernel(program, "prefix_sum");
  for (int launch = 0; launch < 3; ++launch) {  // its time is not known at first
    Buffer data = make_buffer(context_, std::vector<int>(kGroups, 1));
    Buffer sums = make_buffer(context_, std::vector<int>(kGroups, 0));
    ASSERT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), data.list()));
    ASSERT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), sums.list()));
    ASSERT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &kGroups, &one, 0, nullptr, nullptr));
    const std::vector<int> found = contents(queue_, data, kGroups);
    for (size_t i = 0; i < kGroups; ++i) ASSERT_EQ(static_cast<int>(i + 1), found[i]);
  }
}

TEST_F(OrderingTest, TaskRunsOneWorkItem) {
  Buffer mem = zeros();
  Kernel add = kernel("add");
  int amount = 3;
  ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), mem.list()));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  ASSERT_OK(clEnqueueTask(queue_, add, 0, nullptr, nullptr));
  std::vector<int> expected(16, 0);
  expected[0] = 3;
  EXPECT_EQ(expected, contents(queue_, mem, 16));
}

struct NativeArguments {
  int* data;
  const int* other;
  int count;
  int* result;
};
void CL_CALLBACK sum_up(void* block) {
  NativeArguments arguments;
  std::memcpy(&arguments, block, sizeof arguments);
  for (int i = 0; i < arguments.count; ++i) arguments.data[i] += arguments.other[i];
  *arguments.result = arguments.count;
}

TEST_F(OrderingTest, NativeKernelGetsItsMemory) {
  Buffer mem = make_buffer(context_, std::vector<int>(16, 5));
  Buffer other = make_buffer(context_, std::vector<int>(16, 7));
  int result = 0;
  NativeArguments arguments{nullptr, nullptr, 16, &result};
  cl_mem list[] = {mem, other};
  const void* places[] = {&arguments.data, &arguments.other};
  Event gate = user_event(context_);
  ASSERT_OK(clEnqueueNativeKernel(queue_, sum_up, &arguments, sizeof arguments, 2, list, places, 1,
                                  gate.list(), nullptr));
  arguments = {};  // "a copy of the data pointed to by args will be made"
  open(gate);
  EXPECT_EQ(std::vector<int>(16, 12), contents(queue_, mem, 16));
  EXPECT_EQ(16, result);
}

void CL_CALLBACK set_flag(void* block) {
  **static_cast<int**>(block) = 1;
}

TEST_F(OrderingTest, NativeKernelWithoutMemory) {
  int flag = 0;
  int* arguments[] = {&flag};
  ASSERT_OK(clEnqueueNativeKernel(queue_, set_flag, arguments, sizeof arguments, 0, nullptr,
                                  nullptr, 0, nullptr, nullptr));
  ASSERT_OK(clFinish(queue_));
  EXPECT_EQ(1, flag);
}

TEST_F(OrderingTest, BadNativeKernelsAreRefused) {
  Buffer mem = zeros();
  NativeArguments arguments{};
  cl_mem list[] = {mem}, null_list[] = {nullptr};
  const void* places[] = {&arguments.data};
  auto enqueue = [&](void(CL_CALLBACK * function)(void*), void* block, size_t size, cl_uint count,
                     const cl_mem* mems, const void** where) {
    return clEnqueueNativeKernel(queue_, function, block, size, count, mems, where, 0, nullptr,
                                 nullptr);
  };
  constexpr size_t kSize = sizeof arguments;
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(nullptr, sum_up, nullptr, 0, 0, nullptr,
                                                          nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, enqueue(nullptr, &arguments, kSize, 1, list, places)),
      BAD(CL_INVALID_VALUE, enqueue(sum_up, nullptr, kSize, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, enqueue(sum_up, nullptr, 0, 1, list, places)),
      BAD(CL_INVALID_VALUE, enqueue(sum_up, &arguments, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, enqueue(sum_up, &arguments, kSize, 1, nullptr, places)),
      BAD(CL_INVALID_VALUE, enqueue(sum_up, &arguments, kSize, 1, list, nullptr)),
      BAD(CL_INVALID_VALUE, enqueue(sum_up, &arguments, kSize, 0, list, nullptr)),
      BAD(CL_INVALID_VALUE, enqueue(sum_up, &arguments, kSize, 0, nullptr, places)),
      BAD(CL_INVALID_MEM_OBJECT, enqueue(sum_up, &arguments, kSize, 1, null_list, places)),
  });
}

TEST_F(OrderingTest, BadMarkersAndBarriersAreRefused) {
  Event user = user_event(context_);
  Context other_context = make_context();
  Event foreign = user_event(other_context), out;
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(nullptr, out.out())),
      BAD(CL_INVALID_VALUE, clEnqueueMarker(queue_, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(nullptr, 1, user.list())),
      BAD(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue_, 0, user.list())),
      BAD(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue_, 0, nullptr)),
      BAD(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue_, 1, nullptr)),
      BAD(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(queue_, 1, foreign.list())),
  });
}

}  // namespace
}  // namespace conclave::test
