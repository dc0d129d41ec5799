// SPDX-License-Identifier: Apache-2.0
// Kernels whose C code uses OpenMP.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <thread>

#include "api_test.h"

#include <CL/cl_ext_conclave.h>
#include "child_process.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  void describe_team(global int* threads, global int* cpu);
  long sum(global const int* data, int n);
  long sum_with_tasks(global const int* data, int n);
  void abort_in_region(int who);
  kernel void describe(global int* threads, global int* cpu) { describe_team(threads, cpu); }
  kernel void sums(global const int* data, global int* out, int n) {
    out[2 * get_global_id(0)] = sum(data, n);
    out[2 * get_global_id(0) + 1] = sum_with_tasks(data, n);
  }
  long sum_of_parts(int n);
  kernel void parts(global int* out, int n) { out[0] = sum_of_parts(n); }
  kernel void leave(global int* unused, int who) { abort_in_region(who); }
  void look_at_units(global uint* core, global uint* wrong, local char* memory, int bytes);
  void look_at_cores(global uint* core, int threads);
  kernel void units(global uint* core, global uint* wrong, global char* heap) {
    local char memory[256 * 32];
    __heap_init_ddr(heap, 1 << 20);
    look_at_units(core + 1, wrong, memory, 32);
    core[0] = __core_num();
  }
  kernel void cores(global uint* core, int threads) { look_at_cores(core, threads); }
  kernel void plain(global int* out) { out[get_global_id(0)] = 1; })";

class OpenMpTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    program_ = build(context_, kSource, CONCLAVE_TEST_OPENMP_OBJECT);
  }

  struct Team {
    int threads;
    std::vector<int> cpus;
  };
  Team team_on(cl_command_queue queue) {
    Kernel kernel = make_kernel(program_, "describe");
    Buffer threads = make_buffer(context_, std::vector<int>(1));
    Buffer cpus = make_buffer(context_, std::vector<int>(256, -2));
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), threads.list()));
    EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), cpus.list()));
    EXPECT_OK(clEnqueueTask(queue, kernel, 0, nullptr, nullptr));
    Team team{contents(queue, threads, 1)[0], contents(queue, cpus, 256)};
    std::erase(team.cpus, -2);
    return team;
  }
  // The sum of 0, ... n - 1, by each of `items` work-items in both ways.
  std::vector<int> sums(cl_command_queue queue, int n, size_t items) {
    std::vector<int> data(static_cast<size_t>(n));
    std::iota(data.begin(), data.end(), 0);
    Kernel kernel = make_kernel(program_, "sums");
    Buffer in = make_buffer(context_, data),
           out = make_buffer(context_, std::vector<int>(2 * items));
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), in.list()));
    EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), out.list()));
    EXPECT_OK(clSetKernelArg(kernel, 2, sizeof n, &n));
    EXPECT_OK(
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    EXPECT_OK(clFinish(queue));
    return contents(queue, out, 2 * items);
  }
  void expect_abort(int who) {
    Kernel kernel = make_kernel(program_, "leave");
    Buffer unused = make_buffer(context_, std::vector<int>(1));
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), unused.list()));
    EXPECT_OK(clSetKernelArg(kernel, 1, sizeof who, &who));
    Event event;
    EXPECT_OK(clEnqueueTask(queue_, kernel, 0, nullptr, event.out()));
    EXPECT_CL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, event.list()));
    EXPECT_CL(CL_ERROR_KERNEL_ABORT_TI, event_status(event));
  }
};

cl_uint units_of(cl_device_id device) {
  return info<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS);
}

TEST_F(OpenMpTest, ATaskHasAThreadForEachComputeUnit) {
  const Team team = team_on(queue_);
  EXPECT_EQ(static_cast<int>(units_of(device())), team.threads);
  EXPECT_EQ(units_of(device()), team.cpus.size());
}

TEST_F(OpenMpTest, DirectivesAndTasksWork) {
  EXPECT_EQ((std::vector<int>{4950, 4950}), sums(queue_, 100, 1));
  EXPECT_EQ((std::vector<int>{1999000, 1999000}), sums(queue_, 2000, 1));
}

TEST_F(OpenMpTest, WorkItemsAndOutOfOrderQueuesWorkToo) {
  EXPECT_EQ(std::vector<int>(20, 4950), sums(queue_, 100, 10));
  Queue queue = make_queue(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  EXPECT_EQ(std::vector<int>(6, 4950), sums(queue, 100, 3));
}

TEST_F(OpenMpTest, ASubDeviceHasItsOwnThreads) {
  const cl_uint units = units_of(device());
  if (units < 3) GTEST_SKIP() << "needs three compute units";
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 2,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  Device sub;
  ASSERT_OK(clCreateSubDevices(device(), counts, 1, sub.out(), nullptr));
  cl_device_id both[] = {device(), sub};
  cl_int error = 0;
  Context context(clCreateContext(nullptr, 2, both, nullptr, nullptr, &error));
  ASSERT_OK(error);
  Program program = make_program(context, kSource);
  ASSERT_OK(clBuildProgram(program, 0, nullptr, CONCLAVE_TEST_OPENMP_OBJECT, nullptr, nullptr));
  program_ = std::move(program);
  context_ = std::move(context);
  Queue on_sub(clCreateCommandQueueWithProperties(context_, sub, nullptr, &error));
  Queue on_all(clCreateCommandQueueWithProperties(context_, device(), nullptr, &error));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(2, team_on(on_sub).threads);
    EXPECT_EQ(static_cast<int>(units), team_on(on_all).threads);
  }
}

// The number of each thread's compute unit; the first is that of the kernel itself.
std::vector<int> cores_on(cl_context context, cl_command_queue queue, cl_program program,
                          size_t threads) {
  Kernel kernel = make_kernel(program, "units");
  Buffer core = make_buffer(context, std::vector<int>(threads + 1, 77));
  Buffer wrong = make_buffer(context, std::vector<int>(threads, 77));
  Buffer heap = make_buffer(context, std::vector<int>((1 << 20) / sizeof(int)));
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), core.list()));
  EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), wrong.list()));
  EXPECT_OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), heap.list()));
  EXPECT_OK(clEnqueueTask(queue, kernel, 0, nullptr, nullptr));
  EXPECT_EQ(std::vector<int>(threads), contents(queue, wrong, threads));
  return contents(queue, core, threads + 1);
}

TEST_F(OpenMpTest, EachThreadIsOnAUnitOfItsOwn) {
  const size_t units = units_of(device());
  for (int round = 0; round < 3; ++round) {
    const std::vector<int> cores = cores_on(context_, queue_, program_, units);
    EXPECT_EQ(cores[0], cores[1]) << "the first thread is the kernel's";
    EXPECT_EQ(units, std::set<int>(cores.begin(), cores.end()).size());
    EXPECT_LT(*std::max_element(cores.begin(), cores.end()), static_cast<int>(units));
  }
}

TEST_F(OpenMpTest, ThreadsOfSubDevicesAreOnTheirUnits) {
  if (units_of(device()) < 4) GTEST_SKIP() << "needs four compute units";
  const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 2, 2,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  Device low, high;
  cl_device_id subs[2];
  ASSERT_OK(clCreateSubDevices(device(), halves, 2, subs, nullptr));
  low = Device(subs[0]);
  high = Device(subs[1]);
  cl_int error = 0;
  Context context(clCreateContext(nullptr, 2, subs, nullptr, nullptr, &error));
  ASSERT_OK(error);
  Program program = make_program(context, kSource);
  ASSERT_OK(clBuildProgram(program, 0, nullptr, CONCLAVE_TEST_OPENMP_OBJECT, nullptr, nullptr));
  const auto cores = [&](cl_device_id sub) {
    Queue queue(clCreateCommandQueueWithProperties(context, sub, nullptr, &error));
    const std::vector<int> found = cores_on(context, queue, program, 2);
    return std::set<int>(found.begin(), found.end());
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ((std::set<int>{0, 1}), cores(low));
    EXPECT_EQ((std::set<int>{2, 3}), cores(high));
  }
}

// More threads than compute units: the rest is on none.
CHILD_PROCESS(many_threads) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kSource, CONCLAVE_TEST_OPENMP_OBJECT);
  Kernel kernel = make_kernel(program, "cores");
  const int units = static_cast<int>(units_of(device()));
  for (const int threads : {units, units + 3, 2, units}) {
    const auto count = static_cast<size_t>(threads);
    Buffer core = make_buffer(context, std::vector<int>(count));
    clSetKernelArg(kernel, 0, sizeof(cl_mem), core.list());
    clSetKernelArg(kernel, 1, sizeof threads, &threads);
    CHECK(clEnqueueTask(queue, kernel, 0, nullptr, nullptr) == CL_SUCCESS);
    const std::vector<int> cores = contents(queue, core, count);
    const int placed = std::min(threads, units);
    const auto end = cores.begin() + placed;
    CHECK(std::set<int>(cores.begin(), end).size() == static_cast<size_t>(placed));
    CHECK(*std::max_element(cores.begin(), end) < units);
    CHECK(std::count(end, cores.end(), -1) == threads - placed);
  }
  return 0;
}

TEST_F(OpenMpTest, ThreadsBeyondTheUnitsAreOnNone) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not see that a team waits for its threads";
#endif
  const ChildResult result = run_child("many_threads");
  EXPECT_EQ(0, result.exit_status) << result.output;
}

// A team of which one thread leaves the kernel is lost; the next kernel has another one.
TEST_F(OpenMpTest, AbortInAParallelRegion) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps signals back until a thread calls a function it knows";
#endif
  for (int who : {0, 1, 0, static_cast<int>(units_of(device())) - 1}) {
    expect_abort(who);
    EXPECT_EQ((std::vector<int>{1999000, 1999000}), sums(queue_, 2000, 1)) << who;
  }
}

// In a separate process: a kernel whose C code has a parallel region.
int run_parts() {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kSource, CONCLAVE_TEST_OPENMP_OBJECT);
  Kernel kernel = make_kernel(program, "parts");
  Buffer out = make_buffer(context, std::vector<int>(1));
  const int n = 5;
  clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list());
  clSetKernelArg(kernel, 1, sizeof n, &n);
  CHECK(clEnqueueTask(queue, kernel, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(contents(queue, out, 1)[0] == n * static_cast<int>(units_of(device())));
  return 0;
}

// Their places are in the program, and OpenMP's library looks there when the process ends.
CHILD_PROCESS(threadprivate_variable) {
  return run_parts();
}

TEST_F(OpenMpTest, ThreadprivateVariables) {
  const ChildResult result = run_child("threadprivate_variable");
  EXPECT_EQ(0, result.exit_status) << result.output;
}

// The file by which the library says that this process has it.
std::string openmp_trace() {
  return "/dev/shm/__KMP_REGISTERED_LIB_" + std::to_string(getpid()) + "_" +
         std::to_string(getuid());
}

// It would be left, were the process killed.
CHILD_PROCESS(openmp_without_traces) {
  CHECK(run_parts() == 0);
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    CHECK(!entry.path().string().starts_with(openmp_trace()));
  return 0;
}

// For a host with another copy of the library, which has told the address and value of a variable.
CHILD_PROCESS(openmp_beside_another) {
  static const unsigned flag = 0xcafe0000;
  char text[100];
  std::snprintf(text, sizeof text, "%p-%x-libother.so", static_cast<const void*>(&flag), flag);
  std::ofstream(openmp_trace()) << text;
  const int failed = run_parts();
  std::string left;
  std::getline(std::ifstream(openmp_trace()), left);
  std::filesystem::remove(openmp_trace());
  CHECK(!failed);
  CHECK(left == text);
  return 0;
}

// An empty file, whose content the library would look at, and which cannot be moved aside: what
// another user can make in a directory such as /dev/shm. The directory stands for those rights.
CHILD_PROCESS(openmp_trap) {
  std::ofstream file(openmp_trace());
  std::filesystem::create_directory(openmp_trace() + ".host");
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kSource, CONCLAVE_TEST_OPENMP_OBJECT);
  Kernel kernel = make_kernel(program, "parts");
  Buffer out = make_buffer(context, std::vector<int>(1));
  const int n = 5;
  clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list());
  clSetKernelArg(kernel, 1, sizeof n, &n);
  Event refused, done;
  const bool enqueued = clEnqueueTask(queue, kernel, 0, nullptr, refused.out()) == CL_SUCCESS;
  clWaitForEvents(1, refused.list());
  const cl_int status = event_status(refused);
  std::filesystem::remove(openmp_trace() + ".host");
  std::filesystem::remove(openmp_trace());
  CHECK(enqueued);
  CHECK(status == CL_OUT_OF_RESOURCES);
  // Without it all is well.
  CHECK(clEnqueueTask(queue, kernel, 0, nullptr, done.out()) == CL_SUCCESS);
  clWaitForEvents(1, done.list());
  CHECK(event_status(done) == CL_COMPLETE);
  return 0;
}

TEST_F(OpenMpTest, AFileOfAnotherUserIsNotBelieved) {
  const ChildResult result = run_child("openmp_trap", {}, 30);
  EXPECT_EQ(0, result.exit_status) << result.output;
}

TEST_F(OpenMpTest, LeavesNoTraces) {
  const ChildResult result = run_child("openmp_without_traces");
  EXPECT_EQ(0, result.exit_status) << result.output;
}

TEST_F(OpenMpTest, HostMayHaveAnotherOpenMp) {
  const ChildResult result = run_child("openmp_beside_another");
  EXPECT_EQ(0, result.exit_status) << result.output;
}

// Two processes with OpenMP kernels, and one without: each waits for its turn.
int work_for_a_while(bool has_openmp) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kSource, CONCLAVE_TEST_OPENMP_OBJECT);
  std::vector<int> data(10000, 1);
  Buffer in = make_buffer(context, data), out = make_buffer(context, std::vector<int>(1000));
  Kernel kernel = make_kernel(program, has_openmp ? "sums" : "plain");
  const int n = 10000;
  clSetKernelArg(kernel, 0, sizeof(cl_mem), has_openmp ? in.list() : out.list());
  if (has_openmp) {
    clSetKernelArg(kernel, 1, sizeof(cl_mem), out.list());
    clSetKernelArg(kernel, 2, sizeof n, &n);
  }
  const size_t items = has_openmp ? 1 : 1000;
  for (int round = 0; round < 200; ++round) {
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) ==
          CL_SUCCESS);
    CHECK(contents(queue, out, 1)[0] == (has_openmp ? n : 1));
  }
  return 0;
}
CHILD_PROCESS(openmp_user) {
  return work_for_a_while(true);
}
CHILD_PROCESS(other_user) {
  return work_for_a_while(false);
}

TEST_F(OpenMpTest, ProcessesTakeTurns) {
  std::vector<ChildResult> results(3);
  std::vector<std::thread> children;
  for (size_t i = 0; i < results.size(); ++i)
    children.emplace_back(
        [&, i] { results[i] = run_child(i == 2 ? "other_user" : "openmp_user", {}, 60); });
  for (std::thread& child : children) child.join();
  for (const ChildResult& result : results) EXPECT_EQ(0, result.exit_status) << result.output;
}

// If there are no more compute units than CPUs, each thread stays on the CPU of one.
CHILD_PROCESS(bound_team) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = build(context, kSource, CONCLAVE_TEST_OPENMP_OBJECT);
  Kernel kernel = make_kernel(program, "describe");
  Buffer threads = make_buffer(context, std::vector<int>(1));
  Buffer cpus = make_buffer(context, std::vector<int>(256, -2));
  clSetKernelArg(kernel, 0, sizeof(cl_mem), threads.list());
  clSetKernelArg(kernel, 1, sizeof(cl_mem), cpus.list());
  CHECK(clEnqueueTask(queue, kernel, 0, nullptr, nullptr) == CL_SUCCESS);
  const auto count = static_cast<size_t>(contents(queue, threads, 1)[0]);
  const std::vector<int> all = contents(queue, cpus, 256);
  const std::set<int> different(all.begin(), all.begin() + static_cast<ptrdiff_t>(count));
  CHECK(count == units_of(device()));
  CHECK(different.size() == count);
  CHECK(*different.begin() >= 0);
  return 0;
}

TEST_F(OpenMpTest, ThreadsAreBoundToTheUnitsCpus) {
  const ChildResult result =
      run_child("bound_team",
                {{"CONCLAVE_COMPUTE_UNITS", std::to_string(std::thread::hardware_concurrency())}});
  EXPECT_EQ(0, result.exit_status) << result.output;
}

}  // namespace
}  // namespace conclave::test
