// SPDX-License-Identifier: Apache-2.0
// Graphs that are ended or closed while their kernels, or other threads, wait.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "graph_fixture.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_kernel.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

// Whatever its kernels wait for that nobody brings, a graph that runs without end can be ended.
TEST_F(GraphTest, EndLeavesKernelsThatWait) {
  for (const char* name : {"through", "sync", "pair"}) {
    xrt::graph waiting = graph(name);
    for (int round = 0; round < 4; ++round) {
      SCOPED_TRACE(std::string(name) + ", round " + std::to_string(round));
      waiting.reset();
      waiting.run(round == 3 ? 1'000'000 : 0);
      if (round % 2) std::this_thread::sleep_for(20ms);
      if (round == 2) waiting.suspend();
      waiting.end(round >= 2 ? 1000 : 0);
      EXPECT_EQ(error_of([&] { waiting.run(1); }, "ended"), EINVAL);
    }
  }
  xrt::graph pair = graph("pair");
  pair.reset();
  pair.run(1);
  pair.wait(10s);
  EXPECT_EQ(value(pair, "pair.b.sum"), 100 * 99 / 2);
}

// An iteration that waits for nobody comes to its end.
TEST_F(GraphTest, EndLeavesIterationsWhole) {
  xrt::graph counter = graph("gr[0]");
  for (int round = 0; round < 20; ++round) {
    counter.reset();
    counter.update("gr[0].k.step", 3u);
    counter.run();
    await_more(counter, "gr[0].k.n", 0);
    counter.end();
    ASSERT_EQ(value(counter, "gr[0].k.n") % 3, 0);
  }
}

// Whatever they are at, graphs can be closed.
TEST_F(GraphTest, ClosedAtAnyTime) {
  for (int round = 0; round < 30; ++round) {
    xrt::graph counter = graph("gr[0]");
    counter.reset();
    counter.run(round % 2 ? 0 : 1);
    if (round % 3 == 0) std::this_thread::sleep_for(1ms);
    xrt::graph sync = graph("sync");  // waits for its parameter
    sync.reset();
    sync.run(1);
    xrt::graph through = graph("through");  // and this one for its stream
    through.run(1);
    if (round % 5 == 0) std::this_thread::sleep_for(2ms);
    if (round % 4 == 0) counter = {};
    xrt::graph pair = graph("pair");
    pair.reset();
    pair.run();
    if (round % 5 == 0) pair.suspend();
  }
  xrt::graph pair = graph("pair");
  pair.reset();
  pair.run(1);
  pair.wait(10s);
  EXPECT_EQ(value(pair, "pair.a.n"), 100);
  EXPECT_EQ(value(pair, "pair.b.sum"), 100 * 99 / 2) << "nothing of the former runs is in between";
}

TEST_F(GraphTest, ClosedWhileAnotherKernelHasItsStream) {
  const xrt::kernel sink(device_, uuid_, "sink:{sink_1}");
  xrt::bo to(device_, 4, 0);
  xrt::run run(sink);
  run.set_arg(1, to);
  run.set_arg(2, 1);
  run.start();
  for (int round = 0; round < 100; ++round) {
    xrt::graph through = graph("through");
    through.run(1);
    if (round % 2) std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(run.wait(1ms), ERT_CMD_STATE_TIMEOUT);
  xrt::graph through = graph("through");
  through.update("through.k.value", 5);
  through.run(1);
  xrt::run source(xrt::kernel(device_, uuid_, "source:{source_1}"));
  source.set_arg(1, 37);
  source.set_arg(2, 1);
  source.start();
  EXPECT_EQ(run.wait(10s), ERT_CMD_STATE_COMPLETED);
  EXPECT_EQ(to.map<int*>()[0], 42);
  through.wait(10s);
}

TEST_F(GraphTest, CopiesInTwoThreads) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.update("gr[0].k.step", 1u);
  counter.run();
  std::vector<std::future<void>> threads;
  for (int t = 0; t < 3; ++t)
    threads.push_back(std::async(std::launch::async, [copy = counter]() mutable {
      int former = 0;
      for (int i = 0; i < 2000; ++i) {
        const int now = value(copy, "gr[0].k.n");
        ASSERT_GE(now, former);
        former = now;
        copy.update("gr[0].k.step", 1u);
      }
    }));
  auto waiting = std::async(std::launch::async,
                            [copy = counter]() mutable { return error_of([&] { copy.wait(); }); });
  for (auto& thread : threads) thread.get();
  counter.end();
  EXPECT_EQ(waiting.get(), 0);
  xrt::graph copy = counter;
  counter = {};
  EXPECT_EQ(error_of([&] { graph("gr[0]"); }), EINVAL) << "a copy has it";
  copy.reset();
  copy = {};
  EXPECT_EQ(error_of([&] { graph("gr[0]"); }), 0);
}

// One thread closes what another one waits for.
TEST_F(GraphTest, ClosedWhileAnotherThreadWaits) {
  for (int round = 0; round < 20; ++round) {
    const xclConclaveGraph sync =
        xclConclaveOpenGraph(device_, uuid_.get(), "sync", XCL_CONCLAVE_ACCESS_PRIMARY);
    ASSERT_TRUE(sync);
    EXPECT_EQ(xclConclaveRunGraph(sync, 1), 0);
    std::vector<std::future<int>> threads;
    threads.push_back(
        std::async(std::launch::async, [=] { return xclConclaveWaitGraph(sync, 0); }));
    threads.push_back(std::async(std::launch::async, [=] {
      int out = 0;
      return xclConclaveReadGraph(sync, "sync.k.out", &out, sizeof out, true);
    }));
    std::this_thread::sleep_for(10ms);
    EXPECT_EQ(xclConclaveCloseGraph(sync), 0);
    EXPECT_NE(threads[0].get(), 0);
    EXPECT_NE(threads[1].get(), 0);
    EXPECT_EQ(xclConclaveRunGraph(sync, 1), -ENODEV);
  }
}

// What waits in the parent waits for nobody in a child, and the child disturbs none of it.
TEST_F(GraphTest, ForkedChildrenNeverWait) {
  xrt::graph through = graph("through");
  through.reset();
  through.update("through.k.value", 5);
  through.run(1);
  xrt::bo to(device_, 4, 0);
  xrt::run sink(xrt::kernel(device_, uuid_, "sink:{sink_1}"));
  sink.set_arg(1, to);
  sink.set_arg(2, 1);
  sink.start();
  auto waiting = std::async(std::launch::async,
                            [copy = through]() mutable { return error_of([&] { copy.wait(); }); });
  EXPECT_EQ(sink.wait(50ms), ERT_CMD_STATE_TIMEOUT) << "both wait in the middle";
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      int value = 0, errors = 0;
      const auto expect_none = [&](auto body) { errors += error_of(body) != ENODEV; };
      expect_none([&] { through.run(1); });
      expect_none([&] { through.wait(); });
      expect_none([&] { through.end(); });
      expect_none([&] { through.reset(); });
      expect_none([&] { through.update("through.k.value", 1); });
      expect_none([&] { through.read("through.k.value", value); });
      expect_none([&] { sink.wait(); });
      expect_none([&] { sink.wait(10ms); });
      expect_none([&] { graph("gr[0]"); });
      expect_none([] { xrt::device(0); });
      through = {};
      sink = {};
      to = {};
      device_ = {};
      _exit(errors);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  xrt::run source(xrt::kernel(device_, uuid_, "source:{source_1}"));
  source.set_arg(1, 37);
  source.set_arg(2, 1);
  source.start();
  EXPECT_EQ(sink.wait(10s), ERT_CMD_STATE_COMPLETED);
  EXPECT_EQ(to.map<int*>()[0], 42);
  EXPECT_EQ(waiting.get(), 0);
}

}  // namespace
}  // namespace conclave::test
