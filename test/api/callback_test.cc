// SPDX-License-Identifier: Apache-2.0
// Event callbacks.
#include <atomic>
#include <mutex>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

using CallbackTest = ApiTest;

// What the callbacks of one event were told. Callbacks come from any thread.
struct Calls {
  std::mutex mutex;
  std::vector<std::pair<cl_event, cl_int>> seen;

  size_t count() {
    std::lock_guard lock(mutex);
    return seen.size();
  }
  bool has(cl_event event, cl_int status) {
    std::lock_guard lock(mutex);
    for (const auto& one : seen) {
      if (one == std::pair(event, status)) return true;
    }
    return false;
  }
};
void CL_CALLBACK note(cl_event event, cl_int status, void* user) {
  auto* calls = static_cast<Calls*>(user);
  std::lock_guard lock(calls->mutex);
  calls->seen.emplace_back(event, status);
}

TEST_F(CallbackTest, EveryStatusIsReported) {
  Buffer mem = make_buffer(context_, 64);
  Event gate = user_event(context_), done;
  int value = 1;
  Calls calls;
  ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &value, 4, 0, 64, 1, gate.list(), done.out()));
  for (cl_int status : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}) {
    ASSERT_OK(clSetEventCallback(done, status, note, &calls));
  }
  EXPECT_FALSE(calls.has(done, CL_RUNNING));
  EXPECT_FALSE(calls.has(done, CL_COMPLETE));
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  ASSERT_OK(clFlush(queue_));
  EXPECT_TRUE(eventually([&] { return calls.count() == 3; })) << calls.count() << " calls";
  for (cl_int status : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}) {
    EXPECT_TRUE(calls.has(done, status)) << "status " << status;
  }
}

TEST_F(CallbackTest, IsCalledForAStatusThatHasPassed) {
  Event done;
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, done.out()));
  ASSERT_OK(clWaitForEvents(1, done.list()));
  Calls calls;
  for (cl_int status : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}) {
    ASSERT_OK(clSetEventCallback(done, status, note, &calls));
  }
  EXPECT_TRUE(eventually([&] { return calls.count() == 3; })) << calls.count() << " calls";
  for (cl_int status : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}) {
    EXPECT_TRUE(calls.has(done, status)) << "status " << status;
  }
}

TEST_F(CallbackTest, UserEventCallsBack) {
  Event user = user_event(context_);
  Calls calls;
  ASSERT_OK(clSetEventCallback(user, CL_COMPLETE, note, &calls));
  EXPECT_EQ(0u, calls.count());
  ASSERT_OK(clSetUserEventStatus(user, CL_COMPLETE));
  EXPECT_TRUE(eventually([&] { return calls.has(user, CL_COMPLETE); }));
}

// "If the callback is called as the result of the command ... being abnormally terminated, an
// appropriate error code ... will be passed to event_command_status instead."
TEST_F(CallbackTest, FailureIsPassedToTheCallback) {
  Buffer mem = make_buffer(context_, 64);
  Event gate = user_event(context_), done;
  int value = 1;
  Calls of_user, of_command;
  ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &value, 4, 0, 64, 1, gate.list(), done.out()));
  ASSERT_OK(clSetEventCallback(gate, CL_COMPLETE, note, &of_user));
  ASSERT_OK(clSetEventCallback(done, CL_COMPLETE, note, &of_command));
  ASSERT_OK(clFlush(queue_));
  ASSERT_OK(clSetUserEventStatus(gate, -42));
  EXPECT_TRUE(eventually([&] { return of_user.has(gate, -42); }));
  EXPECT_TRUE(eventually([&] { return of_command.count() == 1; }));
  std::lock_guard lock(of_command.mutex);
  ASSERT_EQ(1u, of_command.seen.size());
  EXPECT_LT(of_command.seen[0].second, 0);
}

TEST_F(CallbackTest, RunsBeforeTheEventIsGone) {
  Event gate = user_event(context_);
  Calls calls;
  Event done;
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue_, 1, gate.list(), done.out()));
  cl_event raw = done;
  ASSERT_OK(clSetEventCallback(done, CL_COMPLETE, note, &calls));
  done.reset();
  ASSERT_OK(clFlush(queue_));
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  EXPECT_TRUE(eventually([&] { return calls.has(raw, CL_COMPLETE); }));
  ASSERT_OK(clFinish(queue_));
}

struct Chain {
  cl_command_queue queue;
  cl_mem mem;
  std::atomic<int> status{1};
};
void CL_CALLBACK enqueue_more(cl_event, cl_int, void* user) {
  auto* chain = static_cast<Chain*>(user);
  int value = 77;
  cl_int status = clEnqueueFillBuffer(chain->queue, chain->mem, &value, sizeof value, 0, 64, 0,
                                      nullptr, nullptr);
  if (status == CL_SUCCESS) status = clFlush(chain->queue);
  chain->status = status;
}

// "applications may call a non-blocking OpenCL API" in a callback
TEST_F(CallbackTest, MayEnqueueCommands) {
  Buffer mem = make_buffer(context_, std::vector<int>(16, 0));
  Queue second = make_queue(context_);
  Chain chain{second, mem};
  Event done;
  ASSERT_OK(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, done.out()));
  ASSERT_OK(clSetEventCallback(done, CL_COMPLETE, enqueue_more, &chain));
  ASSERT_OK(clFlush(queue_));
  ASSERT_TRUE(eventually([&] { return chain.status != 1; }));
  EXPECT_OK(chain.status.load());
  EXPECT_EQ(std::vector<int>(16, 77), contents(second, mem, 16));
}

TEST_F(CallbackTest, ManyOnOneEvent) {
  Event user = user_event(context_);
  Calls calls;
  for (int i = 0; i < 100; ++i) ASSERT_OK(clSetEventCallback(user, CL_COMPLETE, note, &calls));
  ASSERT_OK(clSetUserEventStatus(user, CL_COMPLETE));
  EXPECT_TRUE(eventually([&] { return calls.count() == 100; })) << calls.count() << " calls";
}

TEST_F(CallbackTest, BadArgumentsAreRefused) {
  Event user = user_event(context_);
  expect_all({
      BAD(CL_INVALID_EVENT, clSetEventCallback(nullptr, CL_COMPLETE, note, nullptr)),
      BAD(CL_INVALID_VALUE, clSetEventCallback(user, CL_COMPLETE, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clSetEventCallback(user, CL_QUEUED, note, nullptr)),
      BAD(CL_INVALID_VALUE, clSetEventCallback(user, -1, note, nullptr)),
      BAD(CL_INVALID_VALUE, clSetEventCallback(user, 4, note, nullptr)),
  });
}

}  // namespace
}  // namespace conclave::test
