// SPDX-License-Identifier: Apache-2.0
// Events: queries, command types, user events, failures that spread, profiling.
#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

class EventTest : public ApiTest {
 protected:
  Buffer buffer() { return make_buffer(context_, std::vector<int>(64, 1)); }
  // A fill of `mem` with `value` that waits for `gate`.
  Event fill_after(cl_event gate, cl_mem mem, int value) {
    Event done;
    EXPECT_OK(clEnqueueFillBuffer(queue_, mem, &value, sizeof value, 0, 64, 1, &gate, done.out()));
    return done;
  }
};

Query query(cl_event event, cl_event_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetEventInfo(event, name, size, value, ret);
  };
}

cl_command_type type_of(cl_event event) {
  return info<cl_command_type>(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE);
}

TEST_F(EventTest, EveryQueryHasTheRightSizeAndValue) {
  Buffer mem = buffer();
  Event user = user_event(context_);
  Event command = fill_after(user, mem, 2);
  for (cl_event event : {user.get(), command.get()}) {
    checked_info(query(event, CL_EVENT_COMMAND_QUEUE), one<cl_command_queue>);
    checked_info(query(event, CL_EVENT_CONTEXT), one<cl_context>);
    checked_info(query(event, CL_EVENT_COMMAND_TYPE), one<cl_command_type>);
    checked_info(query(event, CL_EVENT_COMMAND_EXECUTION_STATUS), one<cl_int>);
    checked_info(query(event, CL_EVENT_REFERENCE_COUNT), one<cl_uint>);
    EXPECT_EQ(context_.get(), info<cl_context>(clGetEventInfo, event, CL_EVENT_CONTEXT));
  }
  EXPECT_EQ(nullptr, info<cl_command_queue>(clGetEventInfo, user, CL_EVENT_COMMAND_QUEUE));
  EXPECT_EQ(queue_.get(), info<cl_command_queue>(clGetEventInfo, command, CL_EVENT_COMMAND_QUEUE));
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_USER), type_of(user));
  EXPECT_EQ(static_cast<cl_command_type>(CL_COMMAND_FILL_BUFFER), type_of(command));
  EXPECT_EQ(CL_SUBMITTED, event_status(user));
  EXPECT_GT(event_status(command), CL_RUNNING) << "it waits, so it cannot run";
  EXPECT_OK(clSetUserEventStatus(user, CL_COMPLETE));
  EXPECT_OK(clWaitForEvents(1, command.list()));
  EXPECT_EQ(CL_COMPLETE, event_status(user));
  EXPECT_EQ(CL_COMPLETE, event_status(command));
}

TEST_F(EventTest, CountsReferences) {
  Event user = user_event(context_);
  auto count = [&] { return info<cl_uint>(clGetEventInfo, user, CL_EVENT_REFERENCE_COUNT); };
  EXPECT_EQ(1u, count());
  EXPECT_OK(clRetainEvent(user));
  EXPECT_EQ(2u, count());
  EXPECT_OK(clReleaseEvent(user));
  EXPECT_EQ(1u, count());
}

void CL_CALLBACK no_native_work(void*) {}

TEST_F(EventTest, TellsTheTypeOfItsCommand) {
  Buffer a = buffer(), b = buffer();
  Kernel nothing = kernel("nothing");
  int data[16] = {};
  const size_t kZero[] = {0, 0, 0}, kRegion[] = {16, 1, 1}, kItems[] = {4};
  cl_mem mem = a;
  cl_int err = 0;
  Event e;
  auto check = [&](cl_int status, cl_command_type expected) {
    EXPECT_OK(status);
    EXPECT_EQ(expected, type_of(e));
    EXPECT_OK(clWaitForEvents(1, e.list()));
  };
  cl_command_queue q = queue_;
  check(clEnqueueNDRangeKernel(q, nothing, 1, nullptr, kItems, nullptr, 0, nullptr, e.out()),
        CL_COMMAND_NDRANGE_KERNEL);
  check(clEnqueueTask(q, nothing, 0, nullptr, e.out()), CL_COMMAND_TASK);
  check(clEnqueueNativeKernel(q, no_native_work, nullptr, 0, 0, nullptr, nullptr, 0, nullptr,
                              e.out()),
        CL_COMMAND_NATIVE_KERNEL);
  check(clEnqueueReadBuffer(q, a, CL_FALSE, 0, 4, data, 0, nullptr, e.out()),
        CL_COMMAND_READ_BUFFER);
  check(clEnqueueWriteBuffer(q, a, CL_TRUE, 0, 4, data, 0, nullptr, e.out()),
        CL_COMMAND_WRITE_BUFFER);
  check(clEnqueueReadBufferRect(q, a, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0, 0, data, 0, nullptr,
                                e.out()),
        CL_COMMAND_READ_BUFFER_RECT);
  check(clEnqueueWriteBufferRect(q, a, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0, 0, data, 0, nullptr,
                                 e.out()),
        CL_COMMAND_WRITE_BUFFER_RECT);
  check(clEnqueueCopyBuffer(q, a, b, 0, 0, 4, 0, nullptr, e.out()), CL_COMMAND_COPY_BUFFER);
  check(clEnqueueCopyBufferRect(q, a, b, kZero, kZero, kRegion, 0, 0, 0, 0, 0, nullptr, e.out()),
        CL_COMMAND_COPY_BUFFER_RECT);
  check(clEnqueueFillBuffer(q, a, data, 4, 0, 16, 0, nullptr, e.out()), CL_COMMAND_FILL_BUFFER);
  check(clEnqueueMigrateMemObjects(q, 1, &mem, 0, 0, nullptr, e.out()),
        CL_COMMAND_MIGRATE_MEM_OBJECTS);
  void* mapped = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, e.out(), &err);
  check(err, CL_COMMAND_MAP_BUFFER);
  check(clEnqueueUnmapMemObject(q, a, mapped, 0, nullptr, e.out()), CL_COMMAND_UNMAP_MEM_OBJECT);
  check(clEnqueueMarker(q, e.out()), CL_COMMAND_MARKER);
  check(clEnqueueMarkerWithWaitList(q, 0, nullptr, e.out()), CL_COMMAND_MARKER);
  check(clEnqueueBarrierWithWaitList(q, 0, nullptr, e.out()), CL_COMMAND_BARRIER);
}

TEST_F(EventTest, FailureSpreadsToWhatDepends) {
  Buffer mem = buffer();
  Event gate = user_event(context_);
  Event first = fill_after(gate, mem, 2);
  Event second = fill_after(first, mem, 3);
  EXPECT_OK(clSetUserEventStatus(gate, -7));
  EXPECT_EQ(-7, event_status(gate));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, second.list()));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, gate.list()));
  EXPECT_LT(event_status(first), 0);
  EXPECT_LT(event_status(second), 0);
  // The queue goes on: what does not depend on the failure is not touched by it.
  EXPECT_EQ(std::vector<int>(16, 1), contents(queue_, mem, 16));
  int value = 4;
  Event after;
  EXPECT_OK(clEnqueueFillBuffer(queue_, mem, &value, 4, 0, 64, 0, nullptr, after.out()));
  EXPECT_OK(clWaitForEvents(1, after.list()));
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(std::vector<int>(16, 4), contents(queue_, mem, 16));
}

TEST_F(EventTest, BlockingCommandsReportAFailedWaitList) {
  Buffer mem = buffer();
  Event failed = user_event(context_);
  EXPECT_OK(clSetUserEventStatus(failed, CL_OUT_OF_RESOURCES));
  int data[16];
  const size_t kZero[] = {0, 0, 0}, kRegion[] = {64, 1, 1};
  constexpr cl_int kExpected = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  expect_all({
      BAD(kExpected,
          clEnqueueReadBuffer(queue_, mem, CL_TRUE, 0, 64, data, 1, failed.list(), nullptr)),
      BAD(kExpected,
          clEnqueueWriteBuffer(queue_, mem, CL_TRUE, 0, 64, data, 1, failed.list(), nullptr)),
      BAD(kExpected, clEnqueueReadBufferRect(queue_, mem, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0,
                                             0, data, 1, failed.list(), nullptr)),
      BAD(kExpected, clEnqueueWriteBufferRect(queue_, mem, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0,
                                              0, data, 1, failed.list(), nullptr)),
      BAD_CREATE(kExpected, clEnqueueMapBuffer(queue_, mem, CL_TRUE, CL_MAP_READ, 0, 64, 1,
                                               failed.list(), nullptr, err)),
  });
  EXPECT_EQ(std::vector<int>(16, 1), contents(queue_, mem, 16));
}

TEST_F(EventTest, WaitListMayMixDoneAndPendingEvents) {
  Buffer mem = buffer();
  Event done = user_event(context_), pending = user_event(context_), filled;
  EXPECT_OK(clSetUserEventStatus(done, CL_COMPLETE));
  cl_event both[] = {done, pending, done};
  int value = 8;
  ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &value, 4, 0, 64, 3, both, filled.out()));
  EXPECT_GT(event_status(filled), CL_RUNNING);
  EXPECT_OK(clSetUserEventStatus(pending, CL_COMPLETE));
  EXPECT_OK(clWaitForEvents(1, filled.list()));
  EXPECT_EQ(std::vector<int>(16, 8), contents(queue_, mem, 16));
}

TEST_F(EventTest, UserEventReleasedByTheProgramStillOpensTheGate) {
  Buffer mem = buffer();
  Event gate = user_event(context_);
  Event filled = fill_after(gate, mem, 6);
  EXPECT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  gate.reset();
  EXPECT_OK(clWaitForEvents(1, filled.list()));
}

TEST_F(EventTest, ProfilingTimesAreInOrder) {
  Buffer mem = buffer();
  Kernel add = kernel("add");
  int amount = 1;
  size_t items = 64;
  ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), mem.list()));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  Event kernel_event, fill_event;
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, add, 1, nullptr, &items, nullptr, 0, nullptr,
                                   kernel_event.out()));
  ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &amount, 4, 0, 64, 0, nullptr, fill_event.out()));
  ASSERT_OK(clFinish(queue_));
  cl_ulong previous_end = 0;
  for (cl_event event : {kernel_event.get(), fill_event.get()}) {
    cl_ulong last = 0;
    for (cl_profiling_info name :
         {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
          CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE}) {
      SCOPED_TRACE(name);
      checked_info(
          [&](size_t size, void* value, size_t* ret) {
            return clGetEventProfilingInfo(event, name, size, value, ret);
          },
          one<cl_ulong>);
      auto time = info<cl_ulong>(clGetEventProfilingInfo, event, name);
      EXPECT_GT(time, 0u);
      EXPECT_GE(time, last);
      if (name == CL_PROFILING_COMMAND_START) {
        EXPECT_GE(time, previous_end) << "an in-order queue runs one after the other";
      }
      if (name == CL_PROFILING_COMMAND_END) previous_end = time;
      last = time;
    }
    // "equivalent to CL_PROFILING_COMMAND_END if the device ... does not support device-side
    // enqueue"
    EXPECT_EQ(previous_end, last);
  }
}

TEST_F(EventTest, ProfilingWhereThereIsNone) {
  Buffer mem = buffer();
  Queue plain = make_queue(context_);
  Event gate = user_event(context_), unprofiled;
  int value = 1;
  ASSERT_OK(clEnqueueFillBuffer(plain, mem, &value, 4, 0, 64, 0, nullptr, unprofiled.out()));
  ASSERT_OK(clFinish(plain));
  Event pending = fill_after(gate, mem, 2);
  cl_ulong time = 0;
  auto profile = [&](cl_event event, cl_profiling_info name, size_t size) {
    return clGetEventProfilingInfo(event, name, size, &time, nullptr);
  };
  constexpr cl_profiling_info kEnd = CL_PROFILING_COMMAND_END;
  expect_all({
      BAD(CL_PROFILING_INFO_NOT_AVAILABLE, profile(unprofiled, kEnd, 8)),
      BAD(CL_PROFILING_INFO_NOT_AVAILABLE, profile(gate, kEnd, 8)),
      BAD(CL_PROFILING_INFO_NOT_AVAILABLE, profile(pending, kEnd, 8)),
      BAD(CL_INVALID_EVENT, profile(nullptr, kEnd, 8)),
  });
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  ASSERT_OK(clWaitForEvents(1, pending.list()));
  expect_all({
      BAD(CL_INVALID_VALUE, profile(pending, 0, 8)),
      BAD(CL_INVALID_VALUE, profile(pending, CL_EVENT_CONTEXT, 8)),
      BAD(CL_INVALID_VALUE, profile(pending, kEnd, 4)),
      BAD(CL_SUCCESS, profile(pending, kEnd, 8)),
  });
}

TEST_F(EventTest, BadArgumentsAreRefused) {
  Event user = user_event(context_), command;
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, command.out()));
  Context other_context = make_context();
  Event other = user_event(other_context);
  EXPECT_OK(clSetUserEventStatus(other, CL_COMPLETE));
  cl_event with_null[] = {command, nullptr}, mixed[] = {command, other};
  cl_uint value = 0;
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateUserEvent(nullptr, err)),
      BAD(CL_INVALID_EVENT, clSetUserEventStatus(nullptr, CL_COMPLETE)),
      BAD(CL_INVALID_EVENT, clSetUserEventStatus(command, CL_COMPLETE)),
      BAD(CL_INVALID_VALUE, clSetUserEventStatus(user, CL_RUNNING)),
      BAD(CL_INVALID_VALUE, clSetUserEventStatus(user, CL_SUBMITTED)),
      BAD(CL_INVALID_VALUE, clSetUserEventStatus(user, CL_QUEUED)),
      BAD(CL_INVALID_VALUE, clSetUserEventStatus(user, 17)),
      BAD(CL_INVALID_VALUE, clWaitForEvents(0, command.list())),
      BAD(CL_INVALID_VALUE, clWaitForEvents(0, nullptr)),
      BAD(CL_INVALID_VALUE, clWaitForEvents(1, nullptr)),
      BAD(CL_INVALID_EVENT, clWaitForEvents(2, with_null)),
      BAD(CL_INVALID_CONTEXT, clWaitForEvents(2, mixed)),
      BAD(CL_INVALID_EVENT, clRetainEvent(nullptr)),
      BAD(CL_INVALID_EVENT, clReleaseEvent(nullptr)),
      BAD(CL_INVALID_EVENT, clGetEventInfo(nullptr, CL_EVENT_CONTEXT, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetEventInfo(user, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetEventInfo(user, CL_DEVICE_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetEventInfo(user, CL_EVENT_CONTEXT, 4, &value, nullptr)),
  });
  EXPECT_EQ(CL_SUBMITTED, event_status(user)) << "a refused status changes nothing";
  EXPECT_OK(clSetUserEventStatus(user, CL_COMPLETE));
  EXPECT_CL(CL_INVALID_OPERATION, clSetUserEventStatus(user, CL_COMPLETE));
  EXPECT_CL(CL_INVALID_OPERATION, clSetUserEventStatus(user, -1));
  EXPECT_EQ(CL_COMPLETE, event_status(user));
}

}  // namespace
}  // namespace conclave::test
