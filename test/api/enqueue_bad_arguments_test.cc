// SPDX-License-Identifier: Apache-2.0
// What every enqueue function refuses alike: bad queues, bad wait lists, objects of another
// context.
#include "api_test.h"

namespace conclave::test {
namespace {

// A valid call of one enqueue function, but for the queue and the wait list.
struct Enqueue {
  const char* name;
  bool uses_objects;  // of the context, so that a queue of another context is wrong
  std::function<cl_int(cl_command_queue, cl_uint, const cl_event*)> call;
};

void CL_CALLBACK no_work(void*) {}

class EnqueueBadArgumentsTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    a_ = make_buffer(context_, 256);
    b_ = make_buffer(context_, 256);
    nothing_ = kernel("nothing");
    mem_ = a_;
    cl_int err = 0;
    mapped_ =
        clEnqueueMapBuffer(queue_, a_, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &err);
    ASSERT_OK(err);
    other_context_ = make_context();
    other_queue_ = make_queue(other_context_);
  }
  void TearDown() override {
    if (mapped_) {
      EXPECT_OK(clEnqueueUnmapMemObject(queue_, a_, mapped_, 0, nullptr, nullptr));
      EXPECT_OK(clFinish(queue_));
    }
  }

  std::vector<Enqueue> all();

  Buffer a_, b_;
  Kernel nothing_;
  cl_mem mem_ = nullptr;
  void* mapped_ = nullptr;
  char host_[256] = {};
  Context other_context_;
  Queue other_queue_;
};

constexpr size_t kZero[] = {0, 0, 0}, kRegion[] = {16, 1, 1}, kItems[] = {1};

std::vector<Enqueue> EnqueueBadArgumentsTest::all() {
  using Q = cl_command_queue;
  using List = const cl_event*;
  return {
      {"ReadBuffer", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueReadBuffer(q, a_, CL_TRUE, 0, 16, host_, n, l, nullptr);
       }},
      {"WriteBuffer", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueWriteBuffer(q, b_, CL_TRUE, 0, 16, host_, n, l, nullptr);
       }},
      {"ReadBufferRect", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueReadBufferRect(q, a_, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0, 0, host_, n,
                                        l, nullptr);
       }},
      {"WriteBufferRect", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueWriteBufferRect(q, b_, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0, 0, host_,
                                         n, l, nullptr);
       }},
      {"CopyBuffer", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueCopyBuffer(q, a_, b_, 0, 0, 16, n, l, nullptr);
       }},
      {"CopyBufferRect", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueCopyBufferRect(q, a_, b_, kZero, kZero, kRegion, 0, 0, 0, 0, n, l,
                                        nullptr);
       }},
      {"FillBuffer", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueFillBuffer(q, b_, host_, 4, 0, 16, n, l, nullptr);
       }},
      {"MapBuffer", true,
       [this](Q q, cl_uint n, List l) {
         cl_int err = 0;
         clEnqueueMapBuffer(q, b_, CL_TRUE, CL_MAP_READ, 0, 16, n, l, nullptr, &err);
         return err;
       }},
      {"UnmapMemObject", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueUnmapMemObject(q, a_, mapped_, n, l, nullptr);
       }},
      {"MigrateMemObjects", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueMigrateMemObjects(q, 1, &mem_, 0, n, l, nullptr);
       }},
      {"NDRangeKernel", true,
       [this](Q q, cl_uint n, List l) {
         return clEnqueueNDRangeKernel(q, nothing_, 1, nullptr, kItems, nullptr, n, l, nullptr);
       }},
      {"Task", true,
       [this](Q q, cl_uint n, List l) { return clEnqueueTask(q, nothing_, n, l, nullptr); }},
      {"NativeKernel", false,
       [](Q q, cl_uint n, List l) {
         return clEnqueueNativeKernel(q, no_work, nullptr, 0, 0, nullptr, nullptr, n, l, nullptr);
       }},
      {"MarkerWithWaitList", false,
       [](Q q, cl_uint n, List l) { return clEnqueueMarkerWithWaitList(q, n, l, nullptr); }},
      {"BarrierWithWaitList", false,
       [](Q q, cl_uint n, List l) { return clEnqueueBarrierWithWaitList(q, n, l, nullptr); }},
  };
}

TEST_F(EnqueueBadArgumentsTest, BadQueues) {
  for (const Enqueue& enqueue : all()) {
    SCOPED_TRACE(enqueue.name);
    EXPECT_CL(CL_INVALID_COMMAND_QUEUE, enqueue.call(nullptr, 0, nullptr));
    if (enqueue.uses_objects) {
      EXPECT_CL(CL_INVALID_CONTEXT, enqueue.call(other_queue_, 0, nullptr));
    }
    if (is_conclave()) {
      EXPECT_CL(CL_INVALID_COMMAND_QUEUE,
                enqueue.call(as<cl_command_queue>(context_.get()), 0, nullptr));
    }
  }
}

TEST_F(EnqueueBadArgumentsTest, BadWaitLists) {
  Event good = user_event(context_), foreign = user_event(other_context_);
  EXPECT_OK(clSetUserEventStatus(good, CL_COMPLETE));
  EXPECT_OK(clSetUserEventStatus(foreign, CL_COMPLETE));
  cl_event with_null[] = {good, nullptr}, with_foreign[] = {good, foreign};
  for (const Enqueue& enqueue : all()) {
    SCOPED_TRACE(enqueue.name);
    EXPECT_CL(CL_INVALID_EVENT_WAIT_LIST, enqueue.call(queue_, 1, nullptr));
    EXPECT_CL(CL_INVALID_EVENT_WAIT_LIST, enqueue.call(queue_, 0, good.list()));
    EXPECT_CL(CL_INVALID_EVENT_WAIT_LIST, enqueue.call(queue_, 2, with_null));
    EXPECT_CL(CL_INVALID_CONTEXT, enqueue.call(queue_, 2, with_foreign));
  }
}

TEST_F(EnqueueBadArgumentsTest, WaitListsWithWhatIsNoEvent) {
  CONCLAVE_ONLY();
  Event good = user_event(context_);
  EXPECT_OK(clSetUserEventStatus(good, CL_COMPLETE));
  for (const Enqueue& enqueue : all()) {
    SCOPED_TRACE(enqueue.name);
    cl_event with_buffer[] = {good, as<cl_event>(a_.get())};
    EXPECT_CL(CL_INVALID_EVENT_WAIT_LIST, enqueue.call(queue_, 2, with_buffer));
    cl_event released = user_event(context_).get();
    cl_event with_released[] = {good, released};
    EXPECT_CL(CL_INVALID_EVENT_WAIT_LIST, enqueue.call(queue_, 2, with_released));
  }
}

// A buffer of the queue's context beside one of another.
TEST_F(EnqueueBadArgumentsTest, BuffersOfTwoContexts) {
  Buffer foreign = make_buffer(other_context_, 256);
  cl_mem both[] = {b_, foreign};
  int* block[] = {nullptr};
  const void* places[] = {block};
  expect_all({
      BAD(CL_INVALID_CONTEXT,
          clEnqueueCopyBuffer(queue_, b_, foreign, 0, 0, 16, 0, nullptr, nullptr)),
      BAD(CL_INVALID_CONTEXT,
          clEnqueueCopyBuffer(queue_, foreign, b_, 0, 0, 16, 0, nullptr, nullptr)),
      BAD(CL_INVALID_CONTEXT, clEnqueueCopyBufferRect(queue_, b_, foreign, kZero, kZero, kRegion, 0,
                                                      0, 0, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(queue_, 2, both, 0, 0, nullptr, nullptr)),
  });
  // For native kernels the specification names no code of its own for this.
  cl_int status = clEnqueueNativeKernel(queue_, no_work, block, sizeof block, 1, &both[1], places,
                                        0, nullptr, nullptr);
  EXPECT_TRUE(status == CL_INVALID_CONTEXT || status == CL_INVALID_MEM_OBJECT)
      << error_name(status);
}

// A refused command leaves nothing behind: no event, no entry in the queue.
TEST_F(EnqueueBadArgumentsTest, RefusedCommandsLeaveNothingBehind) {
  cl_event event = nullptr;
  EXPECT_CL(CL_INVALID_VALUE,
            clEnqueueReadBuffer(queue_, a_, CL_TRUE, 0, 257, host_, 0, nullptr, &event));
  EXPECT_EQ(nullptr, event);
  EXPECT_OK(clFinish(queue_));
  EXPECT_EQ(1u, info<cl_uint>(clGetMemObjectInfo, b_, CL_MEM_REFERENCE_COUNT));
  EXPECT_EQ(1u, info<cl_uint>(clGetCommandQueueInfo, other_queue_, CL_QUEUE_REFERENCE_COUNT));
}

}  // namespace
}  // namespace conclave::test
