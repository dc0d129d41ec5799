// SPDX-License-Identifier: Apache-2.0
// What a program does with OpenCL is counted in the segment.
#include <gtest/gtest.h>
#include <unistd.h>

#include <CL/opencl.hpp>
#include <algorithm>
#include <map>
#include <string>

#include "platform/base/clock.h"
#include "platform/share/meeting_place.h"
#include "platform/share/registry.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  kernel void work(global uint* out) {
    uint x = get_global_id(0);
    for (uint i = 0; i < 10000000; ++i) x = x * 1664525 + 1013904223;
    out[get_global_id(0)] = x;
  }
  kernel void fail(global uint* out, ulong far) { out[far] = 1; })";

// Builds a program that no cache has, builds it again, runs a kernel three times with four
// work-groups each, and one that ends with a fault.
void do_things(const Arguments& arguments) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices);
  const cl::Context context(devices.at(0));
  const cl::CommandQueue queue(context, devices[0]);
  const std::string source = "// " + arguments.at(0) + kSource;
  cl::Program program(context, source);
  program.build();
  cl::Program again(context, source);
  again.build();
  const cl::Buffer out(context, CL_MEM_READ_WRITE, 4096);
  cl::Kernel work(again, "work"), fail(again, "fail");
  work.setArg(0, out);
  for (int i = 0; i < 3; ++i) {
    queue.enqueueNDRangeKernel(work, cl::NullRange, 4, 1);
    queue.finish();
  }
  fail.setArg(0, out);
  fail.setArg(1, cl_ulong{1} << 40);
  cl::Event event;
  queue.enqueueNDRangeKernel(fail, cl::NullRange, 1, 1, nullptr, &event);
  try {
    event.wait();
    tell("no fault");
  } catch (const cl::Error&) {
    tell("ready");
  }
  listen();
}

// Enqueues kernels that do not wait for each other, on one compute unit, and waits for them.
void pile_up(const Arguments&) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  platforms.at(0).getDevices(CL_DEVICE_TYPE_ALL, &devices);
  const cl::Context context(devices.at(0));
  const cl::CommandQueue queue(context, devices[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl::Program program(context, kSource);
  program.build();
  const cl::Buffer out(context, CL_MEM_READ_WRITE, 4096);
  cl::Kernel work(program, "work");
  work.setArg(0, out);
  while (!shared_page().stop) {
    for (int i = 0; i < 6; ++i) queue.enqueueNDRangeKernel(work, cl::NullRange, 64, 1);
    queue.finish();
  }
  tell("ready");
  listen();
}

const std::map<std::string, Role> kRoles = {{"do-things", do_things}, {"pile-up", pile_up}};

TEST(Counters, CountWhatAProgramDoes) {
  const TemporarySegment name;
  const std::string unique = std::to_string(getpid()) + " " + std::to_string(now_ns());
  WorkerProcess worker("do-things", {unique},
                       {name.setting(), "CONCLAVE_COMPUTE_UNITS=2", "CONCLAVE_SPECIALIZE=off",
                        "CONCLAVE_TRY_FORMS=off"});
  ASSERT_EQ(worker.receive(), "ready");
  const auto segment = share::MeetingPlace(name.name()).find();
  ASSERT_TRUE(segment);
  const share::Layout& layout = segment->layout();
  const share::Registry registry(layout);
  const auto everybody = registry.everybody();
  ASSERT_EQ(everybody.size(), 1u);
  const share::ProcessEntry& entry = *registry.find(everybody.front());
  EXPECT_EQ(entry.compiles.load(), 1u);
  EXPECT_EQ(entry.cache_hits.load(), 1u);
  EXPECT_EQ(entry.faults.load(), 1u);
  EXPECT_EQ(entry.launches.load(), 4u);
  EXPECT_EQ(entry.work_groups.load(), 13u);
  uint64_t busy_ns = 0;
  for (uint32_t unit = 0; unit < share::kCuEntries; ++unit)
    busy_ns += layout.unit(unit).busy_ns.load();
  EXPECT_GT(busy_ns, 1'000'000u);
  EXPECT_EQ(busy_ns, entry.busy_ns.load()) << "nobody else has used the compute units";
  EXPECT_EQ(busy_ns, entry.cost_ns.load()) << "its queue has normal priority";
  EXPECT_EQ(entry.queued.load(), 0u);
  worker.send("end");
  EXPECT_EQ(worker.wait(), 0);
}

TEST(Counters, CommandsThatWait) {
  const TemporarySegment name(".queued");
  WorkerProcess worker("pile-up", {},
                       {name.setting(), "CONCLAVE_COMPUTE_UNITS=1", "CONCLAVE_SPECIALIZE=off",
                        "CONCLAVE_TRY_FORMS=off"});
  const auto queued = [&]() -> uint32_t {
    const auto segment = share::MeetingPlace(name.name()).find();
    if (!segment) return 0;
    const share::Registry registry(segment->layout());
    const auto everybody = registry.everybody();
    return everybody.empty() ? 0 : registry.find(everybody.front())->queued.load();
  };
  uint32_t most = 0;
  for (int i = 0; i < 10'000 && most < 4; ++i, usleep(1000)) most = std::max(most, queued());
  EXPECT_GE(most, 4u);
  worker.page().stop = 1;
  ASSERT_EQ(worker.receive(), "ready");
  EXPECT_LE(most, 6u);
  EXPECT_EQ(queued(), 0u);
  worker.send("end");
  EXPECT_EQ(worker.wait(), 0);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::kRoles);
}
