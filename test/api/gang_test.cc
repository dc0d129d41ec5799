// SPDX-License-Identifier: Apache-2.0
// Kernels whose work-groups all run at the same time, each on a compute unit of its own: shown by a
// barrier between work-groups, at which a group that has no unit would keep the others for ever.
#include <thread>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

constexpr char kGangKernel[] = R"(
  #define gang __attribute__((annotate("conclave.gang")))
  gang kernel void meet(volatile global atomic_int* arrived, global int* out, int rounds) {
    int groups = get_num_groups(0);
    for (int round = 1; round <= rounds; ++round) {
      atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
      while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) <
             groups * round) {}
    }
    out[get_group_id(0)] = atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device);
  })";

// Enqueues the kernel on `queue` with one work-group a unit.
struct Meeting {
  Meeting(cl_context context, cl_program program, cl_uint groups, int rounds)
      : groups(groups),
        rounds(rounds),
        arrived(make_buffer(context, std::vector<int>(1))),
        out(make_buffer(context, std::vector<int>(groups))),
        kernel(make_kernel(program, "meet")) {}

  cl_int enqueue(cl_command_queue queue) {
    clSetKernelArg(kernel, 0, sizeof(cl_mem), arrived.list());
    clSetKernelArg(kernel, 1, sizeof(cl_mem), out.list());
    clSetKernelArg(kernel, 2, sizeof rounds, &rounds);
    const size_t items = groups, one = 1;
    return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &one, 0, nullptr, nullptr);
  }
  bool all_met(cl_command_queue queue) {
    return contents(queue, out, groups) ==
           std::vector<int>(groups, static_cast<int>(groups) * rounds);
  }

  cl_uint groups;
  int rounds;
  Buffer arrived, out;
  Kernel kernel;
};

cl_uint units() {
  return info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS);
}

class GangTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    gang_ = build(context_, kGangKernel, "-cl-std=CL3.0");
  }
  Program gang_;
};

TEST_F(GangTest, AllWorkGroupsRunAtOnce) {
  Meeting meeting(context_, gang_, units(), 20);
  ASSERT_OK(meeting.enqueue(queue_));
  EXPECT_TRUE(meeting.all_met(queue_));
}

TEST_F(GangTest, FewerWorkGroupsThanUnits) {
  Meeting meeting(context_, gang_, 1, 5);
  ASSERT_OK(meeting.enqueue(queue_));
  EXPECT_TRUE(meeting.all_met(queue_));
}

TEST_F(GangTest, MoreWorkGroupsThanUnitsAreRefused) {
  Meeting meeting(context_, gang_, units() + 1, 1);
  EXPECT_CL(CL_INVALID_GLOBAL_WORK_SIZE, meeting.enqueue(queue_));
}

// How many of `launches` gangs on each of three queues, at the same time, have met.
int meet_on_three_queues(cl_context context, cl_program gang, int launches) {
  std::vector<std::thread> threads;
  std::atomic<int> met{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      Queue queue = make_queue(context);
      for (int i = 0; i < launches; ++i) {
        Meeting meeting(context, gang, units(), 2);
        if (meeting.enqueue(queue) == CL_SUCCESS && meeting.all_met(queue)) ++met;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return met;
}

TEST_F(GangTest, GangsOfSeveralQueuesTakeTurns) {
  EXPECT_EQ(15, meet_on_three_queues(context_, gang_, 5));
}

// A host thread that leaves its compute unit defers what it has not begun, even gangs at their
// start.
CHILD_PROCESS(gangs_on_two_units) {
  Context context = make_context();
  Program gang = build(context, kGangKernel, "-cl-std=CL3.0");
  CHECK(meet_on_three_queues(context, gang, 100) == 300);
  return 0;
}
TEST_F(GangTest, GangsOfSeveralQueuesTakeTurnsOnTwoUnits) {
  const ChildResult result = run_child("gangs_on_two_units", {{"CONCLAVE_COMPUTE_UNITS", "2"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
}

TEST_F(GangTest, BesideOrdinaryKernels) {
  Queue other = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Kernel add = kernel("add");
  Buffer data = make_buffer(context_, std::vector<int>(1 << 16));
  int amount = 1;
  const size_t items = 1 << 16;
  EXPECT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), data.list()));
  EXPECT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(clEnqueueNDRangeKernel(other, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    clFlush(other);
    Meeting meeting(context_, gang_, units(), 2);
    ASSERT_OK(meeting.enqueue(queue_));
    EXPECT_TRUE(meeting.all_met(queue_));
  }
  EXPECT_OK(clFinish(other));
}

CHILD_PROCESS(gangs_beside_gangs) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kGangKernel, "-cl-std=CL3.0");
  for (int i = 0; i < 6; ++i) {
    Meeting meeting(context, program, units(), 2);
    CHECK(meeting.enqueue(queue) == CL_SUCCESS);
    CHECK(meeting.all_met(queue));
  }
  return 0;
}

// Each process would keep the others for ever if it got some of the units and they the rest.
TEST_F(GangTest, GangsOfSeveralProcessesWaitForEachOther) {
  for (const char* scheduler : {"interleave", "fcfs"}) {
    const std::string segment = "conclave-gang-test." + std::to_string(getpid()) + scheduler;
    std::vector<std::thread> threads;
    std::vector<ChildResult> results(4);
    for (size_t i = 0; i < results.size(); ++i)
      threads.emplace_back([&, i] {
        results[i] =
            run_child("gangs_beside_gangs",
                      {{"CONCLAVE_SEGMENT", segment}, {"CONCLAVE_SCHEDULER", scheduler}}, 60);
      });
    for (std::thread& thread : threads) thread.join();
    for (const ChildResult& result : results) EXPECT_EQ(0, result.exit_status) << result.output;
  }
}

}  // namespace
}  // namespace conclave::test
