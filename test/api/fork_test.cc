// SPDX-License-Identifier: Apache-2.0
// Processes that fork: before the first use of OpenCL all works in both; after it, the child gets
// errors for what belongs to its parent, and never hangs.
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

// A program from start to end; 0 if all went well.
int use_opencl() {
  Context context = make_context();
  CHECK(context.get() != nullptr);
  Queue queue = make_queue(context);
  Program program = build(context, kKernels, "-cl-std=CL3.0");
  Kernel add = make_kernel(program, "add");
  Buffer buffer = make_buffer(context, std::vector<int>(1000, 1));
  int amount = 2;
  size_t items = 1000;
  CHECK(clSetKernelArg(add, 0, sizeof(cl_mem), buffer.list()) == CL_SUCCESS);
  CHECK(clSetKernelArg(add, 1, sizeof amount, &amount) == CL_SUCCESS);
  for (int i = 0; i < 100; ++i) {
    CHECK(clEnqueueNDRangeKernel(queue, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) ==
          CL_SUCCESS);
  }
  CHECK(clFinish(queue) == CL_SUCCESS);
  CHECK(contents(queue, buffer, 1000) == std::vector<int>(1000, 201));
  return 0;
}

// GCC 12's AddressSanitizer does not take the lock of its store of stacks before a fork. A child whose
// parent had threads may spin for it at its first allocation.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kChildMaySpin = true;
#else
constexpr bool kChildMaySpin = false;
#endif
#define SKIP_IF_THE_CHILD_MAY_SPIN() \
  if (kChildMaySpin) GTEST_SKIP() << "AddressSanitizer's own lock may be held at the fork"

class ForkTest : public ::testing::Test {
 protected:
  static void expect_success(const char* child) {
    ChildResult result = run_child(child, {}, 60);
    EXPECT_EQ(0, result.exit_status) << result.output;
  }
};

CHILD_PROCESS(fork_before_use) {
  pid_t child = fork();
  if (child == 0) std::exit(use_opencl());
  CHECK(use_opencl() == 0);
  CHECK(wait_for_child(child, 30) == 0);
  return 0;
}

TEST_F(ForkTest, WorksInBothWhenForkedBeforeFirstUse) {
  expect_success("fork_before_use");
}

// Like a server that loads everything, looks for devices and then forks its workers.
CHILD_PROCESS(fork_after_listing) {
  CHECK(platform() != nullptr);
  CHECK(device() != nullptr);
  CHECK(!device_text(device(), CL_DEVICE_NAME).empty());
  pid_t first = fork();
  if (first == 0) std::exit(use_opencl());
  pid_t second = fork();
  if (second == 0) std::exit(use_opencl());
  CHECK(use_opencl() == 0);
  CHECK(wait_for_child(first, 30) == 0);
  CHECK(wait_for_child(second, 30) == 0);
  return 0;
}

TEST_F(ForkTest, WorksWhenForkedAfterListingDevices) {
  if (!is_conclave()) GTEST_SKIP();
  expect_success("fork_after_listing");
}

struct Inherited {
  Context context;
  Queue queue;
  Buffer buffer;
  Kernel add;
  Event pending, user;
  size_t items = 64;
  int data[64] = {};
};

// Ends the process by SIGALRM (exit status 142) if `call` takes longer than five seconds.
cl_int timed(const char* name, const std::function<cl_int()>& call) {
  alarm(5);
  cl_int status = call();
  alarm(0);
  std::fprintf(stderr, "%s: %s\n", name, error_name(status).c_str());
  return status;
}

// What a forked child may try with the objects of its parent. Whatever needs a worker thread, which
// did not survive the fork, has to be refused.
int use_inherited(Inherited& o) {
  CHECK(timed("NDRange", [&] {
          return clEnqueueNDRangeKernel(o.queue, o.add, 1, nullptr, &o.items, nullptr, 0, nullptr,
                                        nullptr);
        }) != CL_SUCCESS);
  CHECK(timed("Task", [&] { return clEnqueueTask(o.queue, o.add, 0, nullptr, nullptr); }) !=
        CL_SUCCESS);
  CHECK(timed("Read", [&] {
          return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, sizeof o.data, o.data, 0,
                                     nullptr, nullptr);
        }) != CL_SUCCESS);
  CHECK(timed("Write", [&] {
          return clEnqueueWriteBuffer(o.queue, o.buffer, CL_FALSE, 0, sizeof o.data, o.data, 0,
                                      nullptr, nullptr);
        }) != CL_SUCCESS);
  CHECK(timed("Fill", [&] {
          return clEnqueueFillBuffer(o.queue, o.buffer, o.data, 4, 0, 64, 0, nullptr, nullptr);
        }) != CL_SUCCESS);
  CHECK(timed("Map", [&] {
          cl_int err = CL_SUCCESS;
          clEnqueueMapBuffer(o.queue, o.buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr,
                             &err);
          return err;
        }) != CL_SUCCESS);
  CHECK(timed("Marker", [&] {
          return clEnqueueMarkerWithWaitList(o.queue, 0, nullptr, nullptr);
        }) != CL_SUCCESS);
  CHECK(timed("Wait", [&] { return clWaitForEvents(1, o.pending.list()); }) != CL_SUCCESS);
  CHECK(timed("Finish", [&] { return clFinish(o.queue); }) != CL_SUCCESS);
  // These need no worker, so they may work; they must come back.
  timed("Flush", [&] { return clFlush(o.queue); });
  timed("SetUserEventStatus", [&] { return clSetUserEventStatus(o.user, CL_COMPLETE); });
  timed("GetInfo", [&] { return clGetMemObjectInfo(o.buffer, CL_MEM_SIZE, 0, nullptr, nullptr); });
  return 0;
}

Inherited make_inherited() {
  Inherited o;
  o.context = make_context();
  o.queue = make_queue(o.context);
  o.buffer = make_buffer(o.context, std::vector<int>(64, 1));
  Program program = build(o.context, kKernels, "-cl-std=CL3.0");
  o.add = make_kernel(program, "add");
  int amount = 1;
  EXPECT_OK(clSetKernelArg(o.add, 0, sizeof(cl_mem), o.buffer.list()));
  EXPECT_OK(clSetKernelArg(o.add, 1, sizeof amount, &amount));
  EXPECT_OK(
      clEnqueueNDRangeKernel(o.queue, o.add, 1, nullptr, &o.items, nullptr, 0, nullptr, nullptr));
  EXPECT_OK(clFinish(o.queue));
  o.user = user_event(o.context);
  EXPECT_OK(clEnqueueMarkerWithWaitList(o.queue, 1, o.user.list(), o.pending.out()));
  return o;
}

CHILD_PROCESS(fork_after_use) {
  Inherited o = make_inherited();
  pid_t child = fork();
  if (child == 0) {
    int result = use_inherited(o);
    timed("release", [&] {
      clReleaseKernel(o.add);
      clReleaseMemObject(o.buffer);
      clReleaseCommandQueue(o.queue);
      return clReleaseContext(o.context);
    });
    _exit(result);
  }
  CHECK(wait_for_child(child, 40) == 0);
  // The parent is not disturbed.
  CHECK(clSetUserEventStatus(o.user, CL_COMPLETE) == CL_SUCCESS);
  CHECK(clFinish(o.queue) == CL_SUCCESS);
  CHECK(use_opencl() == 0);
  return 0;
}

TEST_F(ForkTest, ChildGetsErrorsForItsParentsObjects) {
  if (!is_conclave()) GTEST_SKIP() << "elsewhere such a child hangs";
  SKIP_IF_THE_CHILD_MAY_SPIN();
  expect_success("fork_after_use");
}

// A child that ends by exit() runs the library's destructors without its threads.
CHILD_PROCESS(exit_of_a_fork) {
  Inherited o = make_inherited();
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    std::exit(0);
  }
  CHECK(wait_for_child(child, 20) == 0);
  CHECK(clSetUserEventStatus(o.user, CL_COMPLETE) == CL_SUCCESS);
  CHECK(use_opencl() == 0);
  return 0;
}

TEST_F(ForkTest, ForkedChildMayExit) {
  SKIP_IF_THE_CHILD_MAY_SPIN();
  expect_success("exit_of_a_fork");
}

// New objects of the child either work or are refused; nothing hangs.
CHILD_PROCESS(new_objects_in_a_fork) {
  Inherited o = make_inherited();
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    cl_device_id only = device();
    cl_int err = CL_SUCCESS;
    cl_context context = clCreateContext(nullptr, 1, &only, nullptr, nullptr, &err);
    std::fprintf(stderr, "clCreateContext: %s\n", error_name(err).c_str());
    if (!context) _exit(err != CL_SUCCESS ? 0 : 1);
    _exit(use_opencl());
  }
  CHECK(wait_for_child(child, 40) == 0);
  CHECK(clSetUserEventStatus(o.user, CL_COMPLETE) == CL_SUCCESS);
  return 0;
}

TEST_F(ForkTest, ChildMayTryAnew) {
  if (!is_conclave()) GTEST_SKIP() << "elsewhere such a child hangs";
  SKIP_IF_THE_CHILD_MAY_SPIN();
  expect_success("new_objects_in_a_fork");
}

// A process that exits without releasing anything, with commands pending.
CHILD_PROCESS(exit_without_releasing) {
  auto* o = new Inherited(make_inherited());
  CHECK(clEnqueueFillBuffer(o->queue, o->buffer, o->data, 4, 0, 64, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  alarm(10);
  std::exit(0);
}

TEST_F(ForkTest, ProcessMayExitWithCommandsPending) {
  expect_success("exit_without_releasing");
}

}  // namespace
}  // namespace conclave::test
