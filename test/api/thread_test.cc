// SPDX-License-Identifier: Apache-2.0
// Many threads at once on the same and on different objects.
#include <atomic>
#include <thread>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

constexpr int kThreads = 8;

void in_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

class ThreadTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    kernel("nothing");  // builds the program, so that threads need not
  }
  // Enqueues `add` on its own kernel object; returns the first error.
  cl_int enqueue_add(cl_command_queue queue, cl_kernel add, size_t items, cl_uint waits,
                     const cl_event* list, cl_event* event) {
    return clEnqueueNDRangeKernel(queue, add, 1, nullptr, &items, nullptr, waits, list, event);
  }
  Kernel add_to(cl_mem buffer, int amount) {
    Kernel add = make_kernel(program_, "add");
    EXPECT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), &buffer));
    EXPECT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
    return add;
  }
};

TEST_F(ThreadTest, OneInOrderQueue) {
  constexpr int kRounds = 300;
  // In-order: even though all threads add to the same elements, no addition is lost.
  Buffer buffer = make_buffer(context_, std::vector<int>(64, 0));
  std::atomic<int> errors{0};
  in_threads([&](int) {
    Kernel add = add_to(buffer, 1);
    for (int i = 0; i < kRounds; ++i) {
      errors += enqueue_add(queue_, add, 64, 0, nullptr, nullptr) != CL_SUCCESS;
      if (i % 50 == 0) errors += clFinish(queue_) != CL_SUCCESS;
    }
  });
  EXPECT_EQ(0, errors);
  EXPECT_EQ(std::vector<int>(64, kThreads * kRounds), contents(queue_, buffer, 64));
}

TEST_F(ThreadTest, OwnQueuesAndBuffers) {
  constexpr int kRounds = 200;
  std::atomic<int> errors{0};
  in_threads([&](int index) {
    Queue queue = make_queue(context_, index % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    Buffer buffer = make_buffer(context_, std::vector<int>(256, index));
    Kernel add = add_to(buffer, 2);
    for (int i = 0; i < kRounds; ++i) {
      errors += enqueue_add(queue, add, 256, 0, nullptr, nullptr) != CL_SUCCESS;
      errors += clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr) != CL_SUCCESS;
    }
    errors += contents(queue, buffer, 256) != std::vector<int>(256, index + 2 * kRounds);
  });
  EXPECT_EQ(0, errors);
}

// All threads wait for one user event and on each other's events.
TEST_F(ThreadTest, SharedEvents) {
  Event gate = user_event(context_);
  Buffer buffer = make_buffer(context_, std::vector<int>(64, 0));
  std::vector<Event> events(kThreads);
  std::vector<Queue> queues;
  for (int i = 0; i < kThreads; ++i) queues.push_back(make_queue(context_));
  std::atomic<int> errors{0};
  // A chain over all queues: thread i waits for the event of thread i - 1.
  Kernel add = add_to(buffer, 1);
  cl_event previous = gate;
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_OK(enqueue_add(queues[i], add, 64, 1, &previous, events[i].out()));
    ASSERT_OK(clFlush(queues[i]));
    previous = events[i];
  }
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    errors += clSetUserEventStatus(gate, CL_COMPLETE) != CL_SUCCESS;
  });
  in_threads([&](int index) {
    errors += clWaitForEvents(1, events[(index + 3) % kThreads].list()) != CL_SUCCESS;
    errors += clRetainEvent(events[index]) != CL_SUCCESS;
    errors += clWaitForEvents(1, events[index].list()) != CL_SUCCESS;
    errors += clReleaseEvent(events[index]) != CL_SUCCESS;
  });
  opener.join();
  EXPECT_EQ(0, errors);
  EXPECT_EQ(std::vector<int>(64, kThreads), contents(queues.back(), buffer, 64));
}

// Objects come and go while their commands are under way.
TEST_F(ThreadTest, ReleasedWhileRunning) {
  std::atomic<int> errors{0};
  in_threads([&](int index) {
    for (int round = 0; round < 40; ++round) {
      std::vector<int> host(512, round);
      Event done;
      {
        Queue queue = make_queue(context_);
        Buffer buffer =
            make_buffer(context_, host.size() * sizeof(int), CL_MEM_USE_HOST_PTR, host.data());
        Kernel add = add_to(buffer, index + 1);
        errors += enqueue_add(queue, add, 512, 0, nullptr, nullptr) != CL_SUCCESS;
        errors += enqueue_add(queue, add, 512, 0, nullptr, done.out()) != CL_SUCCESS;
        if (round % 3 == 0) errors += clFlush(queue) != CL_SUCCESS;
      }
      errors += clWaitForEvents(1, done.list()) != CL_SUCCESS;
    }
  });
  EXPECT_EQ(0, errors);
}

TEST_F(ThreadTest, WholeProgramsSideBySide) {
  std::atomic<int> errors{0};
  in_threads([&](int index) {
    for (int round = 0; round < 5; ++round) {
      Context context = make_context();
      Queue queue = make_queue(context);
      Program program = build(context, kKernels, "-cl-std=CL3.0");
      Kernel add = make_kernel(program, "add");
      Buffer buffer = make_buffer(context, std::vector<int>(100, round));
      cl_mem mem = buffer;
      EXPECT_OK(clSetKernelArg(add, 0, sizeof mem, &mem));
      EXPECT_OK(clSetKernelArg(add, 1, sizeof index, &index));
      errors += enqueue_add(queue, add, 100, 0, nullptr, nullptr) != CL_SUCCESS;
      errors += contents(queue, buffer, 100) != std::vector<int>(100, round + index);
    }
  });
  EXPECT_EQ(0, errors);
}

// Reference counts are exact under contention: the last release, and only it, deletes.
std::atomic<int> g_deleted{0};
void CL_CALLBACK on_delete(cl_mem, void*) {
  ++g_deleted;
}

TEST_F(ThreadTest, ReferenceCountsAreExact) {
  g_deleted = 0;
  Buffer buffer = make_buffer(context_, 64);
  ASSERT_OK(clSetMemObjectDestructorCallback(buffer, on_delete, nullptr));
  std::atomic<int> errors{0};
  in_threads([&](int) {
    for (int i = 0; i < 2000; ++i) {
      errors += clRetainMemObject(buffer) != CL_SUCCESS;
      errors += clReleaseMemObject(buffer) != CL_SUCCESS;
    }
  });
  EXPECT_EQ(0, errors);
  EXPECT_EQ(1u, info<cl_uint>(clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT));
  EXPECT_EQ(0, g_deleted);
  buffer.reset();
  EXPECT_TRUE(eventually([] { return g_deleted == 1; }));
}

// Two threads race to set the status of one user event: exactly one succeeds.
TEST_F(ThreadTest, UserEventIsSetOnce) {
  for (int round = 0; round < 50; ++round) {
    Event user = user_event(context_);
    std::atomic<int> successes{0}, refusals{0};
    in_threads([&](int) {
      cl_int status = clSetUserEventStatus(user, CL_COMPLETE);
      successes += status == CL_SUCCESS;
      refusals += status == CL_INVALID_OPERATION;
    });
    ASSERT_EQ(1, successes);
    ASSERT_EQ(kThreads - 1, refusals);
  }
}

}  // namespace
}  // namespace conclave::test
