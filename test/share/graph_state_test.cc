// SPDX-License-Identifier: Apache-2.0
// The states of graphs: what brings a graph from one to another, and what each one permits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <initializer_list>
#include <string>
#include <thread>

#include "graph_fixture.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kMillionCycles = 1'000'000;

TEST_F(GraphTest, RunsForEver) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.update("gr[0].k.step", 1u);
  counter.run();
  await_more(counter, "gr[0].k.n", 10);
  EXPECT_EQ(error_of([&] { counter.wait(30ms); }, "30 ms"), ETIME);
  counter.suspend();
  std::this_thread::sleep_for(5ms);  // the present iteration ends
  const int suspended = value(counter, "gr[0].k.n");
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(value(counter, "gr[0].k.n"), suspended);
  counter.resume();
  await_more(counter, "gr[0].k.n", suspended);
  counter.end();
  const int ended = value(counter, "gr[0].k.n");
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(value(counter, "gr[0].k.n"), ended);
  // After that, the iterations are counted from the beginning.
  counter.reset();
  counter.update("gr[0].k.step", 1u);
  counter.run(7);
  counter.wait();
  EXPECT_EQ(value(counter, "gr[0].k.n"), 7);
}

TEST_F(GraphTest, WaitsForSoManyCycles) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.update("gr[0].k.step", 1u);
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t first = counter.get_timestamp();
  counter.run();
  counter.wait(uint64_t{100 * kMillionCycles});
  const uint64_t last = counter.get_timestamp();
  EXPECT_GE(last - first, 100 * kMillionCycles);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  // The iteration that runs ends first: on a busy machine a while later.
  int suspended = -1;
  for (int look = 0; look < 500 && value(counter, "gr[0].k.n") != suspended; ++look) {
    suspended = value(counter, "gr[0].k.n");
    std::this_thread::sleep_for(20ms);
  }
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(value(counter, "gr[0].k.n"), suspended);
  EXPECT_EQ(error_of([&] { counter.wait(); }, "suspended"), EINVAL);
  counter.resume();
  await_more(counter, "gr[0].k.n", suspended);
  counter.end(kMillionCycles);
  EXPECT_EQ(error_of([&] { counter.run(1); }, "ended"), EINVAL);
}

TEST_F(GraphTest, TimestampsGrow) {
  xrt::graph counter = graph("gr[0]");
  uint64_t former = counter.get_timestamp();
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t first = former;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t now = counter.get_timestamp();
    ASSERT_GE(now, former);
    former = now;
  }
  std::this_thread::sleep_for(50ms);
  const uint64_t cycles = counter.get_timestamp() - first;
  const auto ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin);
  // Cycles of a clock of 0.1 to 10 GHz.
  EXPECT_GT(static_cast<double>(cycles), ms.count() * 1e5);
  EXPECT_LT(static_cast<double>(cycles), ms.count() * 1e7);
}

TEST_F(GraphTest, LongTimes) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.run();
  auto ender = std::async(std::launch::async, [copy = counter]() mutable {
    std::this_thread::sleep_for(100ms);
    copy.end();
  });
  EXPECT_EQ(error_of([&] { counter.wait(std::chrono::milliseconds::max()); }), 0);
  ender.get();
  counter.reset();
  counter.run();
  ender = std::async(std::launch::async, [copy = counter]() mutable {
    std::this_thread::sleep_for(100ms);
    copy.suspend();
  });
  EXPECT_EQ(error_of([&] { counter.wait(~uint64_t{0}); }), 0);
  EXPECT_EQ(error_of([&] { counter.resume(); }), 0) << "it waited until then";
  ender.get();
}

// Each operation in each state: success, or EINVAL.
class GraphStates : public GraphTest, public testing::WithParamInterface<std::string> {
 protected:
  void bring_to(const std::string& state) {
    counter_.reset();
    if (state == "reset") return;
    if (state == "stopped") return counter_.run(1), counter_.wait();
    counter_.run();
    if (state == "suspended") counter_.suspend();
    if (state == "ended") counter_.end();
  }
  void leave() {
    error_of([&] { counter_.resume(); });
    error_of([&] { counter_.end(); });
  }
  // The operations, and whether the state permits them.
  void expect(const std::string& operation, bool permitted, const std::function<void()>& body) {
    bring_to(GetParam());
    EXPECT_EQ(error_of(body), permitted ? 0 : EINVAL) << operation << " when " << GetParam();
    leave();
  }
  bool in(std::initializer_list<const char*> states) const {
    return std::find(states.begin(), states.end(), GetParam()) != states.end();
  }

  xrt::graph counter_ = graph("gr[0]");
};

TEST_P(GraphStates, PermitOperations) {
  int n = 0;
  expect("reset", in({"reset", "stopped", "ended"}), [&] { counter_.reset(); });
  expect("run(1)", in({"reset", "stopped"}), [&] { counter_.run(1); });
  expect("run", in({"reset", "stopped"}), [&] { counter_.run(); });
  if (GetParam() != "running") {
    expect("wait()", in({"stopped"}), [&] { counter_.wait(); });
    expect("wait(ms)", in({"stopped"}), [&] { counter_.wait(10ms); });
  }
  expect("wait(cycles)", in({"running", "stopped"}), [&] { counter_.wait(uint64_t{1000}); });
  expect("suspend", in({"running"}), [&] { counter_.suspend(); });
  expect("resume", in({"suspended"}), [&] { counter_.resume(); });
  expect("end", in({"running", "stopped"}), [&] { counter_.end(); });
  expect("end(cycles)", in({"running", "suspended"}), [&] { counter_.end(1000); });
  expect("update", true, [&] { counter_.update("gr[0].k.step", 1u); });
  expect("update_nb", true, [&] { counter_.update_nb("gr[0].k.step", 1u); });
  expect("read", true, [&] { counter_.read("gr[0].k.n", n); });
  expect("read_nb", true, [&] { counter_.read_nb("gr[0].k.n", n); });
  expect("get_timestamp", true, [&] { counter_.get_timestamp(); });
}
INSTANTIATE_TEST_SUITE_P(, GraphStates,
                         testing::Values("reset", "running", "stopped", "suspended", "ended"),
                         [](const auto& info) { return info.param; });

TEST_F(GraphTest, SuspendedWhileAnotherThreadWaits) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.run();
  auto waiting = std::async(std::launch::async, [copy = counter]() mutable {
    return error_of([&] { copy.wait(); }, "suspended");
  });
  std::this_thread::sleep_for(50ms);
  counter.suspend();
  EXPECT_EQ(waiting.get(), EINVAL) << "the iterations are not done";
}

}  // namespace
}  // namespace conclave::test
