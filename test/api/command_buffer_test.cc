// SPDX-License-Identifier: Apache-2.0
// Command buffers: recording, order, replays, queries, wrong arguments.
#include "command_buffer_test.h"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace conclave::test {
namespace {

TEST_F(CommandBufferTest, ReplaysWhatWasRecorded) {
  Buffer mem = zeros();
  Kernel step = twice_plus(mem, 3);
  Recorded buffer = make(queue_);
  fill(buffer, mem, 1);
  launch(buffer, step);
  // Neither a new argument nor the release of the kernel reaches what has been recorded.
  const int other = 100;
  ASSERT_OK(clSetKernelArg(step, 1, sizeof other, &other));
  step.reset();
  finalize(buffer);
  EXPECT_EQ(all(0), contents(queue_, mem, 16));  // recording runs nothing
  for (int i = 0; i < 3; ++i) {
    replay(buffer);
    EXPECT_EQ(all(5), contents(queue_, mem, 16));
    ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &other, sizeof other, 0, 64, 0, nullptr, nullptr));
  }
}

TEST_F(CommandBufferTest, InOrderQueueOrdersCommandsAndReplays) {
  Buffer mem = zeros();
  Recorded buffer = make(queue_);
  for (const int amount : {1, 5, 2}) launch(buffer, twice_plus(mem, amount));
  finalize(buffer);
  unsigned expected = 0;
  for (int i = 0; i < 50; ++i) {
    replay(buffer);
    for (const unsigned amount : {1, 5, 2}) expected = 2 * expected + amount;
  }
  EXPECT_EQ(all(static_cast<int>(expected)), contents(queue_, mem, 16));
}

TEST_F(CommandBufferTest, SyncPointsAndBarriersOrderOutOfOrderCommands) {
  for (const bool use_barrier : {false, true}) {
    Buffer mem = zeros();
    Recorded buffer = make(out_of_order_);
    cl_sync_point_khr last = fill(buffer, mem, 1);
    unsigned expected = 1;
    for (int i = 0; i < 20; ++i) {
      if (use_barrier) {
        ASSERT_OK(f_.barrier(buffer, nullptr, nullptr, 0, nullptr, nullptr, nullptr));
        launch(buffer, twice_plus(mem, i));
      } else {
        last = launch(buffer, twice_plus(mem, i), {last});
      }
      expected = 2 * expected + static_cast<unsigned>(i);
    }
    finalize(buffer);
    for (int i = 0; i < 5; ++i) {
      Event done;
      ASSERT_OK(f_.enqueue(0, nullptr, buffer, 0, nullptr, done.out()));
      ASSERT_OK(clWaitForEvents(1, done.list()));
      EXPECT_EQ(all(static_cast<int>(expected)), contents(queue_, mem, 16));
    }
  }
}

// The event of the whole comes when all of its commands have ended, also those that nothing waits
// for; and none of them begins before the wait list has.
TEST_F(CommandBufferTest, EventAndWaitListAreOfTheWhole) {
  std::vector<Buffer> memories;
  Recorded buffer = make(out_of_order_);
  for (int i = 0; i < 8; ++i) {
    memories.push_back(zeros());
    fill(buffer, memories.back(), i + 1);
  }
  finalize(buffer);
  Event gate = user_event(context_), done;
  ASSERT_OK(f_.enqueue(0, nullptr, buffer, 1, gate.list(), done.out()));
  ASSERT_OK(clFlush(out_of_order_));
  for (Buffer& mem : memories) EXPECT_EQ(all(0), contents(queue_, mem, 16));
  EXPECT_EQ(CL_COMMAND_COMMAND_BUFFER_KHR,
            info<cl_command_type>(clGetEventInfo, done, CL_EVENT_COMMAND_TYPE));
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  ASSERT_OK(clWaitForEvents(1, done.list()));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(all(i + 1), contents(queue_, memories[i], 16));

  Event broken = user_event(context_), failed;
  ASSERT_OK(clFinish(out_of_order_));
  ASSERT_OK(f_.enqueue(0, nullptr, buffer, 1, broken.list(), failed.out()));
  ASSERT_OK(clSetUserEventStatus(broken, -1));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, failed.list()));
}

// A kernel that runs until the host lets it, beside a fill that shows at once.
class BlockedCommandTest : public CommandBufferTest {
 protected:
  void SetUp() override {
    CommandBufferTest::SetUp();
    if (IsSkipped()) return;
    memory_ = static_cast<cl_int*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 8, 0));
    ASSERT_NE(nullptr, memory_);
    memory_[0] = memory_[1] = 0;
    program_ = build(context_,
                     "kernel void until_open(global atomic_int* gate) {"
                     "  while (!atomic_load_explicit(gate, memory_order_acquire,"
                     "                               memory_scope_all_svm_devices));"
                     "}",
                     "-cl-std=CL3.0");
    kernel_ = make_kernel(program_, "until_open");
    ASSERT_OK(clSetKernelArgSVMPointer(kernel_, 0, memory_));
    buffer_ = make(out_of_order_);
    const size_t one = 1;
    ASSERT_OK(f_.launch(buffer_, nullptr, nullptr, kernel_, 1, nullptr, &one, nullptr, 0, nullptr,
                        nullptr, nullptr));
  }
  void TearDown() override {
    if (!memory_) return;
    open();
    clFinish(out_of_order_);
    clSVMFree(context_, memory_);
  }
  void record_fill() {
    const int value = 1;
    ASSERT_OK(f_.svm_fill(buffer_, nullptr, nullptr, memory_ + 1, &value, sizeof value,
                          sizeof value, 0, nullptr, nullptr, nullptr));
  }
  void start() {
    finalize(buffer_);
    ASSERT_OK(f_.enqueue(0, nullptr, buffer_, 0, nullptr, done_.out()));
    ASSERT_OK(clFlush(out_of_order_));
  }
  void open() { std::atomic_ref(memory_[0]).store(1); }
  // Whether the fill shows within a tenth of a second.
  bool filled() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (!std::atomic_ref(memory_[1]).load())
      if (std::chrono::steady_clock::now() > end) return false;
    return true;
  }

  cl_int* memory_ = nullptr;
  Program program_;
  Kernel kernel_;
  Recorded buffer_;
  Event done_;
};

TEST_F(BlockedCommandTest, EventWaitsForCommandsThatNothingWaitsFor) {
  record_fill();
  start();
  filled();
  EXPECT_NE(CL_COMPLETE, event_status(done_));
  open();
  ASSERT_OK(clWaitForEvents(1, done_.list()));
  EXPECT_TRUE(filled());
}

TEST_F(BlockedCommandTest, BarrierHoldsLaterCommandsBack) {
  ASSERT_OK(f_.barrier(buffer_, nullptr, nullptr, 0, nullptr, nullptr, nullptr));
  record_fill();
  start();
  EXPECT_FALSE(filled());
  open();
  ASSERT_OK(clWaitForEvents(1, done_.list()));
  EXPECT_TRUE(filled());
}

// The callback runs wherever the replay's event ends, also inside an enqueue.
TEST_F(CommandBufferTest, CallbackMayReplay) {
  struct Again {
    const CommandBufferFunctions& f;
    cl_command_buffer_khr buffer;
    std::atomic<int> left{20};
    std::atomic<int> failures{0};
    std::atomic<bool> done{false};

    void replay() {
      Event event;
      if (f.enqueue(0, nullptr, buffer, 0, nullptr, event.out()) != CL_SUCCESS) ++failures;
      const auto next = [](cl_event, cl_int, void* data) {
        auto* self = static_cast<Again*>(data);
        if (--self->left > 0)
          self->replay();
        else
          self->done = true;
      };
      if (clSetEventCallback(event, CL_COMPLETE, next, this) != CL_SUCCESS) ++failures;
      clFlush(info<cl_command_queue>(f.info, buffer, CL_COMMAND_BUFFER_QUEUES_KHR));
    }
  };
  Buffer mem = zeros();
  Recorded buffer = make(queue_);
  ASSERT_OK(f_.barrier(buffer, nullptr, nullptr, 0, nullptr, nullptr, nullptr));
  launch(buffer, twice_plus(mem, 1));
  finalize(buffer);
  Again again{f_, buffer};
  again.replay();
  while (!again.done) std::this_thread::yield();
  EXPECT_EQ(0, again.failures);
  EXPECT_EQ(all((1 << 20) - 1), contents(queue_, mem, 16));
}

TEST_F(CommandBufferTest, EmptyBufferIsAMarker) {
  Recorded buffer = make(queue_);
  finalize(buffer);
  Event done;
  ASSERT_OK(f_.enqueue(0, nullptr, buffer, 0, nullptr, done.out()));
  ASSERT_OK(clWaitForEvents(1, done.list()));
  EXPECT_EQ(CL_COMPLETE, event_status(done));
}

TEST_F(CommandBufferTest, OverlappingReplaysDoNotMix) {
  Buffer in = make_buffer(context_, all(7)), out = zeros();
  Recorded buffer = make(out_of_order_, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
  ASSERT_OK(f_.copy(buffer, nullptr, nullptr, in, out, 0, 0, 64, 0, nullptr, nullptr, nullptr));
  finalize(buffer);
  Event gate = user_event(context_);
  std::array<Event, 16> done;
  for (Event& event : done) ASSERT_OK(f_.enqueue(0, nullptr, buffer, 1, gate.list(), event.out()));
  buffer.reset();  // replays on their way go on
  ASSERT_OK(clSetUserEventStatus(gate, CL_COMPLETE));
  for (Event& event : done) EXPECT_OK(clWaitForEvents(1, event.list()));
  EXPECT_EQ(all(7), contents(queue_, out, 16));
}

TEST_F(CommandBufferTest, AnotherQueueReplaysInTheRecordedOrder) {
  Buffer mem = zeros();
  Recorded buffer = make(queue_);
  fill(buffer, mem, 1);
  for (const int amount : {1, 2, 3}) launch(buffer, twice_plus(mem, amount));
  finalize(buffer);
  cl_command_queue other = out_of_order_;
  for (int i = 0; i < 20; ++i) {
    Event done;
    ASSERT_OK(f_.enqueue(1, &other, buffer, 0, nullptr, done.out()));
    EXPECT_EQ(other, info<cl_command_queue>(clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE));
    ASSERT_OK(clWaitForEvents(1, done.list()));
    EXPECT_EQ(all(19), contents(queue_, mem, 16));
  }
}

TEST_F(CommandBufferTest, ProfilingSpansAllCommands) {
  Buffer mem = zeros();
  Recorded buffer = make(queue_);
  for (int i = 0; i < 10; ++i) launch(buffer, twice_plus(mem, i));
  finalize(buffer);
  Event done, single;
  ASSERT_OK(f_.enqueue(0, nullptr, buffer, 0, nullptr, done.out()));
  const int value = 1;
  ASSERT_OK(clEnqueueFillBuffer(queue_, mem, &value, 4, 0, 64, 0, nullptr, single.out()));
  ASSERT_OK(clFinish(queue_));
  cl_ulong last = 1;
  for (const cl_profiling_info name : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END}) {
    const auto time = info<cl_ulong>(clGetEventProfilingInfo, done, name);
    EXPECT_GE(time, last);
    last = time;
  }
  EXPECT_LE(last, info<cl_ulong>(clGetEventProfilingInfo, single, CL_PROFILING_COMMAND_START));
}

TEST_F(CommandBufferTest, ImagesRectanglesAndSharedMemory) {
  const cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
  cl_image_desc desc = {};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = 4;
  desc.image_height = 1;
  cl_int code = -1;
  Buffer one(clCreateImage(context_, CL_MEM_READ_WRITE, &format, &desc, nullptr, &code));
  ASSERT_OK(code);
  Buffer two(clCreateImage(context_, CL_MEM_READ_WRITE, &format, &desc, nullptr, &code));
  ASSERT_OK(code);
  Buffer from = zeros(), to = zeros(), rect = zeros();
  const size_t zero[3] = {}, pixels[3] = {4, 1, 1}, two_pixels[3] = {2, 1, 1};
  const size_t bytes[3] = {16, 2, 1};
  const cl_int color[4] = {9, 9, 9, 9};
  auto* shared = static_cast<cl_int*>(clSVMAlloc(context_, CL_MEM_READ_WRITE, 128, 0));
  ASSERT_NE(nullptr, shared);
  const cl_int pattern = 6;
  Recorded b = make(queue_);
  fill(b, from, 4);
  ASSERT_OK(f_.copy_to_image(b, nullptr, nullptr, from, one, 0, zero, pixels, 0, nullptr, nullptr,
                             nullptr));
  ASSERT_OK(f_.copy_image(b, nullptr, nullptr, one, two, zero, zero, pixels, 0, nullptr, nullptr,
                          nullptr));
  ASSERT_OK(f_.fill_image(b, nullptr, nullptr, two, color, zero, two_pixels, 0, nullptr, nullptr,
                          nullptr));
  ASSERT_OK(f_.copy_from_image(b, nullptr, nullptr, two, to, zero, pixels, 0, 0, nullptr, nullptr,
                               nullptr));
  ASSERT_OK(f_.copy_rect(b, nullptr, nullptr, to, rect, zero, zero, bytes, 32, 0, 16, 0, 0, nullptr,
                         nullptr, nullptr));
  ASSERT_OK(f_.svm_fill(b, nullptr, nullptr, shared, &pattern, sizeof pattern, 64, 0, nullptr,
                        nullptr, nullptr));
  ASSERT_OK(
      f_.svm_copy(b, nullptr, nullptr, shared + 16, shared, 64, 0, nullptr, nullptr, nullptr));
  finalize(b);
  replay(b);
  std::vector<int> expected(8, 9);
  expected.resize(16, 4);
  EXPECT_EQ(expected, contents(queue_, to, 16));
  EXPECT_EQ((std::vector<int>{9, 9, 9, 9, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0}),
            contents(queue_, rect, 16));
  EXPECT_EQ(all(6), std::vector<int>(shared + 16, shared + 32));
  clSVMFree(context_, shared);
}

TEST_F(CommandBufferTest, Queries) {
  const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                   CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  const cl_uint references = info<cl_uint>(clGetCommandQueueInfo, queue_, CL_QUEUE_REFERENCE_COUNT);
  cl_command_queue queue = queue_;
  Recorded buffer(f_.create(1, &queue, list, nullptr));
  ASSERT_NE(nullptr, buffer.get());
  EXPECT_EQ(references + 1, info<cl_uint>(clGetCommandQueueInfo, queue_, CL_QUEUE_REFERENCE_COUNT));
  const auto state = [&] {
    return info<cl_command_buffer_state_khr>(f_.info, buffer, CL_COMMAND_BUFFER_STATE_KHR);
  };
  EXPECT_EQ(CL_COMMAND_BUFFER_STATE_RECORDING_KHR, static_cast<int>(state()));
  finalize(buffer);
  EXPECT_EQ(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, static_cast<int>(state()));
  EXPECT_EQ(1u, info<cl_uint>(f_.info, buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR));
  EXPECT_EQ(queue, info<cl_command_queue>(f_.info, buffer, CL_COMMAND_BUFFER_QUEUES_KHR));
  EXPECT_EQ(context_.get(), info<cl_context>(f_.info, buffer, CL_COMMAND_BUFFER_CONTEXT_KHR));
  EXPECT_EQ(1u, info<cl_uint>(f_.info, buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR));
  ASSERT_OK(f_.retain(buffer));
  EXPECT_EQ(2u, info<cl_uint>(f_.info, buffer, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR));
  ASSERT_OK(f_.release(buffer));
  cl_command_buffer_properties_khr answer[3] = {};
  size_t size = 0;
  ASSERT_OK(f_.info(buffer, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof answer, answer, &size));
  EXPECT_EQ(sizeof list, size);
  EXPECT_TRUE(std::equal(list, list + 3, answer));

  EXPECT_EQ(
      cl_bitfield{CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
                  CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
                  CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR},
      info<cl_bitfield>(clGetDeviceInfo, device(), CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR));
  EXPECT_EQ(0u, info<cl_bitfield>(clGetDeviceInfo, device(),
                                  CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR));
  const auto supported = info<cl_bitfield>(clGetDeviceInfo, device(),
                                           CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR);
  for (const cl_bitfield property :
       {CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE})
    EXPECT_TRUE(supported & property);
}

TEST_F(CommandBufferTest, BadArguments) {
  Context other_context = make_context();
  Queue other_queue = make_queue(other_context);
  Buffer mem = zeros(), second = zeros(), foreign = make_buffer(other_context, 64);
  Recorded b = make(queue_), finalized = make(queue_), recording = make(queue_);
  fill(finalized, mem, 1);
  finalize(finalized);
  Kernel step = twice_plus(mem, 1), unset = kernel("add");
  cl_command_queue q = queue_, wrong_queue = as<cl_command_queue>(context_.get()), q2 = other_queue;
  const cl_command_queue two[] = {q, q};
  const cl_command_buffer_properties_khr unknown[] = {12345, 1, 0},
                                         flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 20, 0},
                                         twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0,
                                                    CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0};
  const auto no_buffer = as<cl_command_buffer_khr>(context_.get());
  const cl_sync_point_khr none = 0, far = 99;
  const int value = 1;
  const size_t items = 16, zero[3] = {}, region[3] = {4, 1, 1}, far_offset = SIZE_MAX - 8;
  cl_mutable_command_khr handle = nullptr;
  const api::cl_command_properties_khr fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                   1 << 20, 0};
  cl_event event = nullptr;
  char byte;
#define COPY(buffer, queue, props, from, to, size, count, list, handle) \
  f_.copy(buffer, queue, props, from, to, 0, 0, size, count, list, nullptr, handle)
#define LAUNCH(buffer, queue, props, kernel, dim, off, size, count, list) \
  f_.launch(buffer, queue, props, kernel, dim, off, size, nullptr, count, list, nullptr, nullptr)
  expect_all({
      BAD_CREATE(CL_INVALID_VALUE, f_.create(0, &q, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.create(1, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_COMMAND_QUEUE, f_.create(1, &wrong_queue, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.create(1, &q, unknown, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.create(1, &q, flags, err)),
      BAD_CREATE(CL_INVALID_VALUE, f_.create(1, &q, twice, err)),
      BAD(CL_INVALID_COMMAND_BUFFER_KHR, f_.retain(nullptr)),
      BAD(CL_INVALID_COMMAND_BUFFER_KHR, f_.retain(no_buffer)),
      BAD(CL_INVALID_COMMAND_BUFFER_KHR, f_.release(nullptr)),
      BAD(CL_INVALID_COMMAND_BUFFER_KHR, f_.finalize(nullptr)),
      BAD(CL_INVALID_OPERATION, f_.finalize(finalized)),
      BAD(CL_INVALID_COMMAND_BUFFER_KHR,
          f_.info(nullptr, CL_COMMAND_BUFFER_STATE_KHR, 1, &byte, nullptr)),
      BAD(CL_INVALID_VALUE, f_.info(b, CL_COMMAND_BUFFER_STATE_KHR, 1, &byte, nullptr)),
      BAD(CL_INVALID_VALUE, f_.info(b, 0, 1, &byte, nullptr)),

      BAD(CL_INVALID_COMMAND_BUFFER_KHR, f_.enqueue(0, nullptr, nullptr, 0, nullptr, nullptr)),
      BAD(CL_INVALID_OPERATION, f_.enqueue(0, nullptr, recording, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, f_.enqueue(1, nullptr, finalized, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, f_.enqueue(0, &q, finalized, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          f_.enqueue(2, const_cast<cl_command_queue*>(two), finalized, 0, nullptr, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, f_.enqueue(1, &wrong_queue, finalized, 0, nullptr, nullptr)),
      BAD(CL_INVALID_CONTEXT, f_.enqueue(1, &q2, finalized, 0, nullptr, nullptr)),
      BAD(CL_INVALID_EVENT_WAIT_LIST, f_.enqueue(0, nullptr, finalized, 1, nullptr, nullptr)),
      BAD(CL_INVALID_EVENT_WAIT_LIST, f_.enqueue(0, nullptr, finalized, 1, &event, nullptr)),

      BAD(CL_INVALID_COMMAND_BUFFER_KHR,
          f_.barrier(nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_OPERATION,
          f_.barrier(finalized, nullptr, nullptr, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE,
          f_.barrier(b, out_of_order_, nullptr, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, f_.barrier(b, nullptr, unknown, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, f_.barrier(b, nullptr, nullptr, 0, nullptr, nullptr, &handle)),
      BAD(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
          f_.barrier(b, nullptr, nullptr, 0, &far, nullptr, nullptr)),

      BAD(CL_INVALID_COMMAND_BUFFER_KHR,
          COPY(nullptr, nullptr, nullptr, mem, second, 64, 0, nullptr, nullptr)),
      BAD(CL_INVALID_OPERATION,
          COPY(finalized, nullptr, nullptr, mem, second, 64, 0, nullptr, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE,
          COPY(b, out_of_order_, nullptr, mem, second, 64, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, COPY(b, nullptr, unknown, mem, second, 64, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, COPY(b, nullptr, nullptr, mem, second, 64, 0, nullptr, &handle)),
      BAD(CL_INVALID_MEM_OBJECT,
          COPY(b, nullptr, nullptr, nullptr, second, 64, 0, nullptr, nullptr)),
      BAD(CL_INVALID_CONTEXT, COPY(b, nullptr, nullptr, mem, foreign, 64, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, COPY(b, nullptr, nullptr, mem, second, 65, 0, nullptr, nullptr)),
      BAD(CL_MEM_COPY_OVERLAP, COPY(b, nullptr, nullptr, mem, mem, 8, 0, nullptr, nullptr)),
      BAD(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
          COPY(b, nullptr, nullptr, mem, second, 64, 1, nullptr, nullptr)),
      BAD(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
          COPY(b, nullptr, nullptr, mem, second, 64, 0, &far, nullptr)),
      BAD(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
          COPY(b, nullptr, nullptr, mem, second, 64, 1, &far, nullptr)),
      BAD(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
          COPY(b, nullptr, nullptr, mem, second, 64, 1, &none, nullptr)),
      BAD(CL_INVALID_VALUE, f_.copy_rect(b, nullptr, nullptr, mem, second, zero, zero, zero, 0, 0,
                                         0, 0, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          f_.fill(b, nullptr, nullptr, mem, &value, 3, 0, 63, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, f_.copy_image(b, nullptr, nullptr, mem, second, zero, zero, region,
                                               0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, f_.copy_to_image(b, nullptr, nullptr, mem, second, 0, zero, region,
                                                  0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, f_.copy_from_image(b, nullptr, nullptr, mem, second, zero, region,
                                                    0, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, f_.fill_image(b, nullptr, nullptr, mem, &value, zero, region, 0,
                                               nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          f_.svm_copy(b, nullptr, nullptr, nullptr, &value, 4, 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          f_.svm_fill(b, nullptr, nullptr, &byte, &value, 3, 3, 0, nullptr, nullptr, nullptr)),

      BAD(CL_INVALID_COMMAND_BUFFER_KHR,
          LAUNCH(nullptr, nullptr, nullptr, step, 1, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_OPERATION,
          LAUNCH(finalized, nullptr, nullptr, step, 1, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE,
          LAUNCH(b, out_of_order_, nullptr, step, 1, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_KERNEL, LAUNCH(b, nullptr, nullptr, nullptr, 1, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_KERNEL_ARGS,
          LAUNCH(b, nullptr, nullptr, unset, 1, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_WORK_DIMENSION,
          LAUNCH(b, nullptr, nullptr, step, 4, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_GLOBAL_OFFSET,
          LAUNCH(b, nullptr, nullptr, step, 1, &far_offset, &items, 0, nullptr)),
      BAD(CL_INVALID_VALUE, LAUNCH(b, nullptr, unknown, step, 1, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_VALUE, LAUNCH(b, nullptr, fields, step, 1, nullptr, &items, 0, nullptr)),
      BAD(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
          LAUNCH(b, nullptr, nullptr, step, 1, nullptr, &items, 1, &far)),
  });
#undef COPY
#undef LAUNCH
  EXPECT_EQ(nullptr, handle);
}

}  // namespace
}  // namespace conclave::test
