// SPDX-License-Identifier: Apache-2.0
// Faults in kernels: the event gets a negative status, the callback is told where and why, and
// everything else goes on.
#include "fault_test.h"
#include "child_process.h"

#include <sys/mman.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace conclave::test {
namespace {

TEST_F(FaultTest, OfEachClass) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer has memory of its own where these kernels go astray";
#endif
  expect_fault(enqueue(queue_, "faulty", {5000, 1}),
               {"kernel 'faulty'", ") or one behind it", "write to 0x0", "a null pointer"});
  expect_fault(enqueue(queue_, "faulty", {0, 2}),
               {"work-group (0, 0, 0)", "write to 0x123456789000", "no memory of the kernel"});
  expect_fault(enqueue(queue_, "faulty", {16383, 3}), {"illegal instruction"});
  expect_fault(enqueue(queue_, "faulty", {100, 4}), {"an address that no memory can have"});
}

TEST_F(FaultTest, BeyondABuffer) {
  // Memory of the host between two pages that nobody can access, so that there is nothing behind.
  constexpr size_t kBytes = kItems * sizeof(int);
  auto* all = static_cast<char*>(mmap(nullptr, kBytes + (size_t{1} << 29), PROT_NONE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(MAP_FAILED, static_cast<void*>(all));
  ASSERT_EQ(0, mprotect(all, kBytes, PROT_READ | PROT_WRITE));
  out_ = make_buffer(context_, kBytes, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, all);
  program_ = build(context_, R"(
    kernel void shifted(global int* out, int by) { out[get_global_id(0) + by] = 1; }
    kernel void healthy(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); })");
  expect_fault(enqueue(queue_, "shifted", {static_cast<int>(kItems)}),
               {"kernel 'shifted'", "work-group (", "write to 0x",
                " bytes beyond the end of the buffer of argument 'out' (65536 bytes)"});
  out_.reset();
  munmap(all, kBytes + (size_t{1} << 29));
}

TEST_F(FaultTest, InLocalMemory) {
  expect_fault(enqueue(queue_, "faulty_between_barriers", {700}),
               {"kernel 'faulty_between_barriers'", "work-group (10, 0, 0)", "a null pointer"});
  expect_fault(enqueue(queue_, "beyond_local", {1 << 20}),
               {"kernel 'beyond_local'", "write to 0x", "bytes beyond the end of local memory"});
}

TEST_F(FaultTest, InCCode) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer's own memset() is between the kernel and the fault";
#endif
  expect_fault(enqueue(queue_, "faulty_c", {1}), {"write to 0x8", "a null pointer and 8 bytes"});
  expect_fault(enqueue(queue_, "faulty_c", {2}), {"arithmetic error"});
  expect_fault(enqueue(queue_, "faulty_c", {3}), {"a null pointer and"});
  expect_fault(enqueue(queue_, "faulty_c", {4}), {"the stack has overflowed"});
  expect_fault(enqueue(queue_, "faulty_c", {5}), {"jump to 0x8"});
}

TEST_F(FaultTest, WorkGroupsThatWaitForTheFaultyOneEnd) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps signals back until a thread calls a function it knows";
#endif
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK(clEnqueueFillBuffer(queue_, out_, "\0\0\0", 4, 0, 4, 0, nullptr, nullptr));
    expect_fault(enqueue(queue_, "wait_for_others", {}), {"kernel 'wait_for_others'"});
  }
}

TEST_F(FaultTest, InAParallelRegion) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps signals back until a thread calls a function it knows";
#endif
  program_ = build(context_, R"(
    void fault_on_thread(int thread);
    kernel void faulty_team(global int* out, int thread) { fault_on_thread(thread); }
    kernel void healthy(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); })",
                   CONCLAVE_TEST_OPENMP_OBJECT);
  for (const int thread : {0, 2}) {
    Kernel kernel = make_kernel(program_, "faulty_team");
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out_.list()));
    EXPECT_OK(clSetKernelArg(kernel, 1, sizeof thread, &thread));
    Event event;
    ASSERT_OK(clEnqueueTask(queue_, kernel, 0, nullptr, event.out()));
    expect_fault(event, {"kernel 'faulty_team'", "write to 0x8"});
  }
}

TEST_F(FaultTest, TheLineOfTheSource) {
  program_ = build(context_, R"(kernel void lines(global int* out) {
    int i = get_global_id(0);
    if (i == 77)
      *(volatile global int*)16 = i;
    out[i] = i;
  }
  kernel void healthy(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); })",
                   "-g");
  expect_fault(enqueue(queue_, "lines", {}), {"kernel 'lines'", ".cl:4"});
}

TEST_F(FaultTest, InSpecialisedCode) {
  const ChildResult result =
      run_child("fault_in_specialised_code", {{"CONCLAVE_SPECIALIZE", "now"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
}
CHILD_PROCESS(fault_in_specialised_code) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program =
      build(context, "kernel void k(global int* a, int n) { a[get_local_id(0)] = n; }");
  Kernel kernel = make_kernel(program, "k");
  const int n = 1;
  clSetKernelArg(kernel, 0, sizeof(cl_mem), nullptr);
  clSetKernelArg(kernel, 1, sizeof n, &n);
  const size_t items = 4096, group = 64;
  for (int i = 0; i < 3; ++i) {
    Event event;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, 0, nullptr,
                                 event.out()) == CL_SUCCESS);
    clWaitForEvents(1, event.list());
    CHECK(event_status(event) == CL_ERROR_KERNEL_FAULT_CONCLAVE);
  }
  return 0;
}

TEST_F(FaultTest, CommandsThatWaitForItFailAndOthersGoOn) {
  Queue queue = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const Event first = enqueue(queue, "faulty", {5000, 1});
  const Event second = enqueue(queue, "healthy", {}, {first});
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, second.list()));
  EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, event_status(second));
  expect_healthy();
}

TEST_F(FaultTest, TenThousandTimesWithoutALeak) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer has memory of its own where these kernels go astray";
#endif
  const auto resident_kib = [] {
    std::ifstream file("/proc/self/statm");
    size_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * 4;
  };
  [[maybe_unused]] size_t before = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Event event = enqueue(queue_, "faulty", {(i * 37) % 16384, 1 + i % 4});
    EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
    ASSERT_CL(CL_ERROR_KERNEL_FAULT_CONCLAVE, event_status(event));
    told_.take();
    if (i == 1000) before = resident_kib();
  }
  expect_healthy();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(resident_kib(), before + 1024);
#endif
}
// Queues of one context and of another, at the same time.
TEST_F(FaultTest, HealthyProgramsBesideIt) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer has memory of its own where these kernels go astray";
#endif
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0}, rounds{0};
  std::thread healthy([&] {
    Context context = make_context();
    Queue queue = make_queue(context);
    Program program =
        build(context, "kernel void k(global int* a, int n) { a[get_global_id(0)] += n; }");
    Kernel kernel = make_kernel(program, "k");
    const size_t items = 1000;
    for (int n = 1; !stop; ++n, ++rounds) {
      Buffer buffer = make_buffer(context, std::vector<int>(items, n));
      clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.list());
      clSetKernelArg(kernel, 1, sizeof n, &n);
      clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
      for (const int value : contents(queue, buffer, items)) wrong += value != 2 * n;
    }
  });
  for (int i = 0; i < 300; ++i) {
    const Event event = enqueue(queue_, "faulty", {i * 50, 1 + i % 4});
    clWaitForEvents(1, event.list());
    EXPECT_CL(CL_ERROR_KERNEL_FAULT_CONCLAVE, event_status(event));
  }
  while (rounds < 10) std::this_thread::yield();
  stop = true;
  healthy.join();
  EXPECT_EQ(0, wrong.load());
}

}  // namespace
}  // namespace conclave::test
