// SPDX-License-Identifier: Apache-2.0
// Faults in kernels: the event gets a negative status, the callback is told where and why, and
// everything else goes on.
#include "api_test.h"
#include "child_process.h"

#include <CL/cl_ext_conclave.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <fstream>
#include <mutex>
#include <thread>

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  int fault_in_c(int how, volatile global int* nothing);
  kernel void faulty(global int* out, int where, int how) {
    int i = get_global_id(0);
    volatile global int* wild = (volatile global int*)(ulong)(0x123456789000ul + i);
    if (i == where) {
      if (how == 1) *(volatile global int*)0 = 1;
      if (how == 2) *wild = 1;
      if (how == 3) __builtin_trap();
      if (how == 4) *(volatile global int*)(0x1234567890abcdeful) = 1;
      if (how == 5) out[i] = out[i + (1 << 26)];
    }
    out[i] = i;
  }
  kernel void faulty_between_barriers(global int* out, int where) {
    local int x[64];
    x[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) == where) *(volatile global int*)0 = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[63 - get_local_id(0)];
  }
  kernel void beyond_local(global int* out, int far) {
    local volatile int x[64];
    for (int i = 0; i < far; ++i) x[i] = i;
    out[get_global_id(0)] = x[get_local_id(0)];
  }
  kernel void faulty_c(global int* out, int how) {
    out[get_global_id(0)] = fault_in_c(how, (volatile global int*)8);
  }
  kernel void healthy(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); }
  kernel void wait_for_others(volatile global int* go) {
    if (get_group_id(0) == 0) *(volatile global int*)0 = 1;
    while (*go == 0) {}
  })";

// What the contexts' callback was told, by any thread.
class Told {
 public:
  static void CL_CALLBACK add(const char* text, const void*, size_t, void* self) {
    const std::lock_guard lock(static_cast<Told*>(self)->mutex_);
    static_cast<Told*>(self)->texts_.emplace_back(text);
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

class FaultTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    const cl_device_id devices[] = {device()};
    cl_int error = CL_SUCCESS;
    queue_.reset();
    *context_.out() = clCreateContext(nullptr, 1, devices, Told::add, &told_, &error);
    ASSERT_OK(error);
    queue_ = make_queue(context_);
    program_ = build(context_, kSource, CONCLAVE_TEST_PLAIN_OBJECT);
    out_ = make_buffer(context_, std::vector<int>(kItems, -1));
  }
  Event enqueue(cl_command_queue queue, const char* name, std::vector<int> arguments,
                const std::vector<cl_event>& wait = {}) {
    return launch(queue, make_kernel(program_, name), out_, arguments, kItems, wait);
  }
  // The event tells of a fault, the callback was told `texts` once, and the queue goes on.
  void expect_fault(const Event& event, const std::vector<std::string>& texts) {
    EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
    EXPECT_CL(CL_ERROR_KERNEL_FAULT_CONCLAVE, event_status(event));
    std::vector<std::string> told = told_.take();
    // The wait's own error is another matter.
    std::erase_if(told, [](const std::string& text) { return text.find("kernel '") == text.npos; });
    ASSERT_EQ(1u, told.size());
    for (const std::string& text : texts)
      EXPECT_NE(std::string::npos, told[0].find(text)) << "not '" << text << "' in: " << told[0];
    expect_healthy();
  }
  void expect_healthy() {
    const Event next = enqueue(queue_, "healthy", {});
    EXPECT_OK(clWaitForEvents(1, next.list()));
    const std::vector<int> values = contents(queue_, out_, kItems);
    for (size_t i = 0; i < kItems; ++i) ASSERT_EQ(static_cast<int>(3 * i), values[i]);
  }

  static constexpr size_t kItems = 1 << 14;
  Told told_;
  Buffer out_;
};

TEST_F(FaultTest, OfEachClass) {
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
  const auto resident_kib = [] {
    std::ifstream file("/proc/self/statm");
    size_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * 4;
  };
  size_t before = 0;
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

// --- Handlers of the host ---

sigjmp_buf g_place;
std::atomic<int> g_host_faults{0};
void host_handler(int) {
  ++g_host_faults;
  siglongjmp(g_place, 1);
}
void install_host_handler() {
  struct sigaction action = {};
  action.sa_handler = host_handler;
  sigaction(SIGSEGV, &action, nullptr);
}
// A fault of the host's own code, which its handler heals.
void fault_in_host() {
  if (sigsetjmp(g_place, 1) == 0) *static_cast<volatile int*>(nullptr) = 1;
}

class HostHandlerTest : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    g_host_faults = 0;
    sigaction(SIGSEGV, nullptr, &before_);
  }
  void TearDown() override {
    sigaction(SIGSEGV, &before_, nullptr);
    FaultTest::TearDown();
  }
  // Handlers that the host has just installed stay on top for some milliseconds.
  static void wait_for_the_next_look() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  void expect_own_faults_are_handled(int count) {
    for (int i = 0; i < count; ++i) fault_in_host();
    EXPECT_EQ(count, g_host_faults.exchange(0));
  }

 private:
  struct sigaction before_;
};

TEST_F(HostHandlerTest, InstalledBeforeAndAfterTheFirstKernel) {
  install_host_handler();
  wait_for_the_next_look();
  expect_healthy();
  expect_own_faults_are_handled(3);
  expect_fault(enqueue(queue_, "faulty", {5000, 1}), {"a null pointer"});
  expect_own_faults_are_handled(3);
  EXPECT_EQ(0, g_host_faults.load());
  // Ours lies below the host's now, until it is looked after again.
  install_host_handler();
  wait_for_the_next_look();
  expect_fault(enqueue(queue_, "faulty", {5000, 1}), {"a null pointer"});
  expect_own_faults_are_handled(3);
  EXPECT_EQ(0, g_host_faults.load());
}

// A host that hands on what is not its own, to the handler that it found, which is ours.
struct sigaction g_found;
std::atomic<int> g_handed_on{0};
void handing_handler(int number, siginfo_t* info, void* context) {
  ++g_handed_on;
  if (g_found.sa_flags & SA_SIGINFO) return g_found.sa_sigaction(number, info, context);
  signal(number, SIG_DFL);
}

CHILD_PROCESS(host_hands_faults_on) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, "kernel void k(global int* a) { a[get_global_id(0)] = 1; }");
  Buffer buffer = make_buffer(context, std::vector<int>(64));
  Kernel kernel = make_kernel(program, "k");
  clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.list());
  const size_t items = 64;
  const auto launch = [&] {
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
    return clFinish(queue);
  };
  CHECK(launch() == CL_SUCCESS);
  struct sigaction action = {};
  action.sa_sigaction = handing_handler;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &g_found);
  for (int i = 0; i < 5; ++i) {
    usleep(20'000);
    CHECK(launch() == CL_SUCCESS);
  }
  *static_cast<volatile int*>(nullptr) = 1;  // ends the process
  return 0;
}

TEST_F(FaultTest, AHostThatHandsFaultsOnEndsByItsOwn) {
  EXPECT_EQ(128 + SIGSEGV, run_child("host_hands_faults_on").exit_status);
}

CHILD_PROCESS(host_without_handlers) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, "kernel void k(global int* a) { a[get_global_id(0)] = 1; }");
  Kernel kernel = make_kernel(program, "k");
  clSetKernelArg(kernel, 0, sizeof(cl_mem), nullptr);
  const size_t items = 64;
  clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
  clFinish(queue);
  if (getenv("RAISE")) raise(SIGSEGV);
  *static_cast<volatile int*>(nullptr) = 1;
  return 0;
}

TEST_F(FaultTest, AHostWithoutHandlersEndsByItsOwnFault) {
  EXPECT_EQ(128 + SIGSEGV, run_child("host_without_handlers").exit_status);
  EXPECT_EQ(128 + SIGSEGV, run_child("host_without_handlers", {{"RAISE", "1"}}).exit_status);
}

// Queues of one context and of another, at the same time.
TEST_F(FaultTest, HealthyProgramsBesideIt) {
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
