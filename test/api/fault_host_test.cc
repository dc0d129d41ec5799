// SPDX-License-Identifier: Apache-2.0
// Faults of kernels beside handlers of the host, whenever these are installed: each handler gets
// its own faults.
#include "child_process.h"
#include "fault_test.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <thread>

namespace conclave::test {
namespace {

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
// A fault of the host's own code.
__attribute__((no_sanitize("undefined"))) void fault() {
  *static_cast<volatile int*>(nullptr) = 1;
}
// One that the host's handler heals.
void fault_in_host() {
  if (sigsetjmp(g_place, 1) == 0) fault();
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

// Handlers that a host removes, as Python's faulthandler does: it puts back the one that it had
// found, which is ours.
TEST_F(HostHandlerTest, OneThatIsTakenAwayIsNotCalled) {
  install_host_handler();
  wait_for_the_next_look();
  expect_fault(enqueue(queue_, "faulty", {5000, 1}), {"a null pointer"});
  struct sigaction passing = {}, found;
  passing.sa_handler = [](int) {
    g_host_faults += 100;
    siglongjmp(g_place, 1);
  };
  sigaction(SIGSEGV, &passing, &found);
  wait_for_the_next_look();
  expect_fault(enqueue(queue_, "faulty", {5000, 1}), {"a null pointer"});
  fault_in_host();
  EXPECT_EQ(100, g_host_faults.exchange(0));
  sigaction(SIGSEGV, &found, nullptr);
  expect_own_faults_are_handled(3);
  wait_for_the_next_look();
  expect_fault(enqueue(queue_, "faulty", {5000, 1}), {"a null pointer"});
  expect_own_faults_are_handled(3);
}

// More handlers than there is room for, as long as the host changes between some.
TEST_F(HostHandlerTest, ThatChangeAgainAndAgain) {
  for (int i = 0; i < 30; ++i) {
    struct sigaction action = {};
    action.sa_handler = i % 2 ? host_handler : [](int) { host_handler(0); };
    sigaction(SIGSEGV, &action, nullptr);
    wait_for_the_next_look();
    expect_fault(enqueue(queue_, "faulty", {5000, 1}), {"a null pointer"});
    expect_own_faults_are_handled(3);
  }
}

// A host that hands faults of others on to the handler that it found, which is ours.
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
  fault();  // ends the process
  return 0;
}

// Children that are to end by the signal itself: the sanitizers' handlers would call exit().
const std::vector<std::pair<std::string, std::string>> kNoSanitizersHandlers = {
    {"ASAN_OPTIONS", "handle_segv=0"}, {"TSAN_OPTIONS", "handle_segv=0"}};

TEST_F(FaultTest, AHostThatHandsFaultsOnEndsByItsOwn) {
  EXPECT_EQ(128 + SIGSEGV, run_child("host_hands_faults_on", kNoSanitizersHandlers).exit_status);
}

// Faults of kernels reach ours through the host's handler, in which their signal is blocked; it
// must not stay so on that thread, whose next fault would end the process.
CHILD_PROCESS(host_on_top_hands_faults_on) {
  Context context = make_context();
  Queue queue = make_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Program program = build(context, "kernel void k(global int* a) { a[get_global_id(0)] = 1; }");
  Buffer buffer = make_buffer(context, std::vector<int>(4096));
  Kernel kernel = make_kernel(program, "k");
  const size_t items = 4096, group = 64;
  const auto launch = [&](cl_mem memory, cl_uint count, const cl_event* wait) {
    Event event;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &memory);
    clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, count, wait, event.out());
    return event;
  };
  launch(buffer, 0, nullptr);
  CHECK(clFinish(queue) == CL_SUCCESS);
  // A launch may find that the handlers are to be looked at and put ours on top again, so how many
  // faults of a round reach the host's is a matter of time.
  for (int round = 0; round < 100 && g_handed_on < 20; ++round) {
    Event start;
    cl_int error = CL_SUCCESS;
    *start.out() = clCreateUserEvent(context, &error);
    std::vector<Event> events;
    for (int i = 0; i < 20; ++i) events.push_back(launch(nullptr, 1, start.list()));
    struct sigaction action = {};
    action.sa_sigaction = handing_handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, round == 0 ? &g_found : nullptr);
    clSetUserEventStatus(start, CL_COMPLETE);
    for (const Event& event : events) {
      clWaitForEvents(1, event.list());
      CHECK(event_status(event) == CL_ERROR_KERNEL_FAULT_CONCLAVE);
    }
  }
  CHECK(g_handed_on >= 20);
  return 0;
}

TEST_F(FaultTest, AHostOnTopThatHandsTheirFaultsOn) {
  const ChildResult result = run_child("host_on_top_hands_faults_on");
  EXPECT_EQ(0, result.exit_status) << result.output;
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
  fault();
  return 0;
}

TEST_F(FaultTest, AHostWithoutHandlersEndsByItsOwnFault) {
  auto environment = kNoSanitizersHandlers;
  EXPECT_EQ(128 + SIGSEGV, run_child("host_without_handlers", environment).exit_status);
  environment.emplace_back("RAISE", "1");
  EXPECT_EQ(128 + SIGSEGV, run_child("host_without_handlers", environment).exit_status);
}

}  // namespace
}  // namespace conclave::test
