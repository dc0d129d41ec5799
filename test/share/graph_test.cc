// SPDX-License-Identifier: Apache-2.0
// Graphs of one process: what their kernels do, which graphs there are, and the C interface.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "graph_fixture.h"
#include "test/common/worker_tests.h"
#include "xrt/xrt_aie.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

TEST_F(GraphTest, CountsItsIterations) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.update("gr[0].k.step", 1u);
  int sum = 0;
  for (const uint32_t iterations : {1u, 2u, 3u, 1000u, 1u}) {
    counter.run(iterations);
    counter.wait();
    sum += static_cast<int>(iterations);
    ASSERT_EQ(value(counter, "gr[0].k.n"), sum);
  }
  counter.end();
  EXPECT_EQ(value(counter, "gr[0].k.n"), sum) << "an ended graph can be read";
  counter.reset();
  EXPECT_EQ(value(counter, "gr[0].k.n"), 0);
  counter.update("gr[0].k.n", 100);
  counter.update("gr[0].k.step", 10u);
  counter.run(5);
  counter.wait(60s);
  EXPECT_EQ(value(counter, "gr[0].k.n"), 150);
}

TEST_F(GraphTest, RunsOftenAndShortly) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.update("gr[0].k.step", 1u);
  constexpr int kRuns = 3000;
  for (int i = 0; i < kRuns; ++i) {
    counter.run(1);
    counter.wait();
  }
  EXPECT_EQ(value(counter, "gr[0].k.n"), kRuns);
}

TEST_F(GraphTest, BadGraphs) {
  EXPECT_EQ(error_of([&] { graph("gr[2]"); }, "gr[2]"), EINVAL);
  EXPECT_EQ(error_of([&] { graph(""); }), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::graph(device_, xrt::uuid(), "gr[0]"); }), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::graph(xrt::device(), uuid_, "gr[0]"); }), ENODEV);
  const xrt::graph mine = graph("gr[0]");
  EXPECT_EQ(error_of([&] { graph("gr[0]"); }), EINVAL) << "twice";
  EXPECT_EQ(error_of([&] { device_.load_xclbin(one_unit_xclbin_file()); }), EBUSY);
  xrt::graph none;
  int n = 0;
  EXPECT_FALSE(none);
  EXPECT_EQ(error_of([&] { none.run(1); }), EINVAL);
  EXPECT_EQ(error_of([&] { none.wait(); }), EINVAL);
  EXPECT_EQ(error_of([&] { none.read("gr[0].k.n", n); }), EINVAL);
  EXPECT_EQ(error_of([&] { none.get_timestamp(); }), EINVAL);
}

// Another xclbin takes the place: its graphs begin with zeros, and the former UUID is of no use.
TEST_F(GraphTest, OfAnotherXclbin) {
  {
    xrt::graph counter = graph("gr[0]");
    counter.update("gr[0].k.n", 77);
  }
  const xrt::uuid other = device_.load_xclbin(one_unit_xclbin_file());
  ASSERT_NE(other, uuid_);
  EXPECT_EQ(error_of([&] { graph("gr[0]"); }), EINVAL);
  xrt::graph counter(device_, other, "gr[0]");
  EXPECT_EQ(value(counter, "gr[0].k.n"), 0);
  counter.update("gr[0].k.step", 1u);
  counter.run(3);
  counter.wait();
  EXPECT_EQ(value(counter, "gr[0].k.n"), 3);
}

TEST_F(GraphTest, KernelsThatFail) {
  xrt::graph faulty = graph("faulty");
  for (int round = 0; round < 3; ++round) {
    faulty.reset();
    faulty.update("faulty.k.when", 3);
    faulty.run(10);
    EXPECT_EQ(error_of([&] { faulty.wait(); }, "faulty"), EIO);
    EXPECT_EQ(value(faulty, "faulty.k.calls"), 2) << "of the last iteration that has ended";
    EXPECT_EQ(error_of([&] { faulty.run(1); }), EIO);
    EXPECT_EQ(error_of([&] { faulty.wait(10ms); }), EIO);
  }
  EXPECT_EQ(error_of([&] { faulty.end(); }), EIO);
  faulty.reset();
  faulty.run(10);
  faulty.wait();
  EXPECT_EQ(value(faulty, "faulty.k.calls"), 10);
  // Others do not notice.
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.run(1);
  counter.wait();
}

TEST_F(GraphTest, KernelsThatAreConnected) {
  xrt::graph pair = graph("pair");
  pair.reset();
  for (int runs = 1; runs < 4; ++runs) {
    pair.run(20);
    pair.wait();
    const int sent = runs * 20 * 100;
    ASSERT_EQ(value(pair, "pair.a.n"), sent);
    ASSERT_EQ(value(pair, "pair.b.sum"), sent * (sent - 1) / 2);
  }
  pair.end();
}

// What a kernel has sent, and the other one has not read, does not come into the next run.
TEST_F(GraphTest, ResetEmptiesTheStreams) {
  for (int round = 0; round < 20; ++round) {
    {
      xrt::graph pair = graph("pair");
      pair.reset();
      pair.run();
      std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
      pair.suspend();
    }
    xrt::graph pair = graph("pair");
    pair.reset();
    pair.run(1);
    pair.wait(10s);
    ASSERT_EQ(value(pair, "pair.b.sum"), 100 * 99 / 2);
  }
}

TEST_F(GraphTest, SeveralAtOnce) {
  xrt::graph counters[] = {graph("gr[0]"), graph("gr[1]")};
  xrt::graph pair = graph("pair"), sync = graph("sync");
  for (int round = 1; round <= 20; ++round) {
    for (int i = 0; i < 2; ++i) {
      counters[i].reset();
      counters[i].update("gr[" + std::to_string(i) + "].k.step", i + 1);
      counters[i].run(500);
    }
    pair.reset();
    pair.run(20);
    sync.reset();
    sync.run(1);
    sync.update("sync.k.in", round);
    for (int i = 0; i < 2; ++i) {
      counters[i].wait();
      EXPECT_EQ(value(counters[i], "gr[" + std::to_string(i) + "].k.n"), 500 * (i + 1));
    }
    pair.wait();
    EXPECT_EQ(value(pair, "pair.b.sum"), 2000 * 1999 / 2);
    EXPECT_EQ(value(sync, "sync.k.out"), 2 * round);
    sync.wait();
  }
}

TEST_F(GraphTest, FromC) {
  xrtDeviceHandle device = xrtAIEDeviceOpen(0);
  ASSERT_TRUE(device);
  xrtGraphHandle counter = xrtGraphOpen(device, uuid_.get(), "gr[0]");
  ASSERT_TRUE(counter);
  errno = 0;
  EXPECT_FALSE(xrtGraphOpen(device, uuid_.get(), "gr[0]"));
  EXPECT_EQ(errno, EINVAL);
  EXPECT_FALSE(xrtGraphOpenShared(device, uuid_.get(), nullptr));
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(xrtGraphReset(counter), 0);
  const int one = 1;
  EXPECT_EQ(xrtGraphUpdateRTP(counter, "gr[0].k.step", reinterpret_cast<const char*>(&one), 4), 0);
  EXPECT_EQ(xrtGraphRun(counter, 5), 0);
  EXPECT_EQ(xrtGraphWaitDone(counter, 0), 0);
  int n = 0;
  EXPECT_EQ(xrtGraphReadRTP(counter, "gr[0].k.n", reinterpret_cast<char*>(&n), 4), 0);
  EXPECT_EQ(n, 5);
  EXPECT_EQ(xrtGraphReadRTP(counter, nullptr, reinterpret_cast<char*>(&n), 4), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(xrtGraphReadRTP(nullptr, "gr[0].k.n", reinterpret_cast<char*>(&n), 4), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(xrtGraphRun(counter, -1), 0) << "for ever";
  EXPECT_EQ(xrtGraphRun(counter, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(xrtGraphWaitDone(counter, 20), -1);
  EXPECT_EQ(errno, ETIME);
  EXPECT_EQ(xrtGraphSuspend(counter), 0);
  EXPECT_EQ(xrtGraphResume(counter), 0);
  EXPECT_EQ(xrtGraphWait(counter, 1000), 0);
  EXPECT_EQ(xrtGraphEnd(counter, 1000), 0);
  EXPECT_NE(xrtGraphTimeStamp(counter), 0u);
  xrtGraphClose(counter);
  EXPECT_EQ(xrtDeviceClose(device), 0);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  using namespace conclave::test;
  return run_role_or_tests(argc, argv, graph_roles(), [] {
    const OwnDevice device(".graph", 2);
    return RUN_ALL_TESTS();
  });
}
