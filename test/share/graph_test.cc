// SPDX-License-Identifier: Apache-2.0
// Graphs of one process: their states, their parameters, and what is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "graph_roles.h"
#include "test/common/worker_tests.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kMillionCycles = 1'000'000;

class GraphTest : public testing::Test {
 protected:
  GraphTest() : device_(0), uuid_(device_.load_xclbin(graph_image_file())) {}

  xrt::graph graph(const std::string& name) { return {device_, uuid_, name}; }
  template <class T = int>
  static T value(xrt::graph& graph, const std::string& port) {
    T value{};
    graph.read(port, value);
    return value;
  }
  // Waits until the graph "gr[0]" or "gr[1]" has got further than `count`.
  static void await_more(xrt::graph& graph, const std::string& port, int count) {
    for (int i = 0; i < 10'000 && value(graph, port) <= count; ++i)
      std::this_thread::sleep_for(1ms);
    ASSERT_GT(value(graph, port), count);
  }

  xrt::device device_;
  xrt::uuid uuid_;
};

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

TEST_F(GraphTest, ValuesOfAllKinds) {
  xrt::graph kinds = graph("kinds");
  kinds.reset();
  kinds.update("kinds.k.small", char{-3});
  kinds.update("kinds.k.large", int64_t{-5'000'000'000});
  kinds.update("kinds.k.real", 2.5f);
  const float four[4] = {1, 1, 1, 7};
  kinds.update("kinds.k.four", four);
  kinds.run(1);
  kinds.wait();
  EXPECT_EQ(value<int64_t>(kinds, "kinds.k.sum"), -3 - 5'000'000'000 + 5 + 7);
  // What was written can be read back.
  EXPECT_EQ(value<char>(kinds, "kinds.k.small"), -3);
  EXPECT_EQ(value<float>(kinds, "kinds.k.real"), 2.5f);
  // The kernel alone writes this one.
  EXPECT_EQ(error_of([&] { kinds.update("kinds.k.sum", int64_t{1}); }, "kinds.k.sum"), EINVAL);
}

TEST_F(GraphTest, OddSizes) {
  xrt::graph sizes = graph("sizes");
  sizes.reset();
  for (unsigned char round = 1; round < 4; ++round) {
    const std::array<unsigned char, 3> three = {round, 200, 9};
    std::vector<unsigned char> many(65536), inverse(65536);
    for (size_t i = 0; i < many.size(); ++i)
      many[i] = static_cast<unsigned char>(i * round + (i >> 8));
    sizes.update("sizes.k.three[0]", three);
    sizes.update("sizes.k.many", many.data(), many.size());
    sizes.run(1);
    sizes.wait();
    const std::array<unsigned char, 3> turned = {9, 200, round};
    EXPECT_EQ((value<std::array<unsigned char, 3>>(sizes, "sizes.k.turned")), turned);
    EXPECT_EQ((value<std::array<unsigned char, 3>>(sizes, "sizes.k.three[0]")), three);
    sizes.read("sizes.k.inverse", inverse.data(), inverse.size());
    for (size_t i = 0; i < many.size(); ++i)
      ASSERT_EQ(inverse[i], static_cast<unsigned char>(~many[i])) << i;
  }
  std::vector<unsigned char> zeros(65536, 1);
  sizes.reset();
  sizes.read("sizes.k.many", zeros.data(), zeros.size());
  EXPECT_EQ(zeros, std::vector<unsigned char>(65536));
}

TEST_F(GraphTest, ResetClearsWhatTheKernelHasWritten) {
  xrt::graph once = graph("once");
  once.reset();
  once.run(1);
  once.wait();
  EXPECT_EQ(value(once, "once.k.out"), 7);
  once.reset();
  EXPECT_EQ(value(once, "once.k.out"), 0);
  once.update("once.k.calls", 1);
  once.run(1);
  once.wait();
  EXPECT_EQ(value(once, "once.k.calls"), 2);
  EXPECT_EQ(value(once, "once.k.out"), 0) << "from before the reset";
}

TEST_F(GraphTest, SynchronousParameters) {
  xrt::graph sync = graph("sync");
  sync.reset();
  int out = -1;
  EXPECT_EQ(error_of([&] { sync.read_nb("sync.k.out", out); }, "sync.k.out"), EAGAIN);
  sync.update("sync.k.in", 1);
  EXPECT_EQ(error_of([&] { sync.update_nb("sync.k.in", 2); }, "sync.k.in"), EAGAIN);
  EXPECT_EQ(error_of([&] { sync.update("sync.k.in", 2); }), EAGAIN) << "nothing runs";
  EXPECT_EQ(error_of([&] { sync.read("sync.k.out", out); }), EAGAIN) << "nothing runs";
  sync.run(100);
  EXPECT_EQ(value(sync, "sync.k.out"), 2);
  // One value for each iteration, none lost, none twice.
  for (int i = 2; i <= 100; ++i) {
    EXPECT_EQ(error_of([&] { sync.read_nb("sync.k.out", out); }), EAGAIN);
    sync.update("sync.k.in", i);
    ASSERT_EQ(value(sync, "sync.k.out"), 2 * i);
  }
  sync.wait();
  EXPECT_EQ(error_of([&] { sync.read("sync.k.out", out); }), EAGAIN) << "it has ended";
}

TEST_F(GraphTest, SynchronousParametersOfTwoThreads) {
  xrt::graph sync = graph("sync");
  sync.reset();
  constexpr int kValues = 2000;
  sync.run(kValues);
  auto writer = std::async(std::launch::async, [copy = sync]() mutable {
    for (int i = 1; i <= kValues; ++i) copy.update("sync.k.in", i);
  });
  for (int i = 1; i <= kValues; ++i) ASSERT_EQ(value(sync, "sync.k.out"), 2 * i);
  writer.get();
  sync.wait();
}

// The host writes it, the kernel takes it, the host reads it.
TEST_F(GraphTest, SynchronousInOut) {
  xrt::graph both = graph("syncboth");
  both.reset();
  both.update("syncboth.k.step", 5u);
  for (int i = 0; i < 10; ++i) {
    both.update("syncboth.k.n", i);
    both.run(1);
    both.wait(10s);
    ASSERT_EQ(value(both, "syncboth.k.n"), i + 5);
  }
}

// What a former driver of the graph has left holds nobody up.
TEST_F(GraphTest, SynchronousParametersOfAFormerDriver) {
  {
    xrt::graph sync = graph("sync");
    sync.reset();
    sync.update("sync.k.in", 1);
    sync.run(1);
    sync.wait(10s);
    sync.update("sync.k.in", 2);
  }
  xrt::graph sync = graph("sync");
  int out = 0;
  EXPECT_EQ(error_of([&] { sync.read_nb("sync.k.out", out); }), EAGAIN);
  sync.update_nb("sync.k.in", 3);
  sync.run(1);
  sync.wait(10s);
  EXPECT_EQ(value(sync, "sync.k.out"), 6);
}

TEST_F(GraphTest, BadPorts) {
  xrt::graph counter = graph("gr[0]");
  int n = 0;
  int64_t large = 0;
  for (const char* name : {"gr[0].k.m", "gr[1].k.n", "n", "", "gr[0].k.n "}) {
    EXPECT_EQ(error_of([&] { counter.read(name, n); }, "gr[0].k.n"), EINVAL) << name;
    EXPECT_EQ(error_of([&] { counter.update(name, n); }, "gr[0].k.n"), EINVAL) << name;
    EXPECT_EQ(error_of([&] { counter.read_nb(name, n); }), EINVAL) << name;
    EXPECT_EQ(error_of([&] { counter.update_nb(name, n); }), EINVAL) << name;
  }
  EXPECT_EQ(error_of([&] { counter.read(std::string(10'000, 'x'), n); }), EINVAL);
  EXPECT_EQ(error_of([&] { counter.read("gr[0].k.n", large); }, "has 4 bytes, not 8"), EINVAL);
  EXPECT_EQ(error_of([&] { counter.update("gr[0].k.n", large); }, "not 8"), EINVAL);
  EXPECT_EQ(error_of([&] { counter.update("gr[0].k.n", &n, 3); }), EINVAL);
  EXPECT_EQ(error_of([&] { counter.update("gr[0].k.n", &n, 0); }), EINVAL);
  EXPECT_EQ(error_of([&] { counter.update("gr[0].k.n", nullptr, 4); }), EINVAL);
  EXPECT_EQ(error_of([&] { counter.read("gr[0].k.n", nullptr, 4); }), EINVAL);
  xrt::graph pair = graph("through");
  EXPECT_EQ(error_of([&] { pair.read("through.k.in", n); }), EINVAL) << "a stream";
  EXPECT_EQ(error_of([&] { counter.read("source_1.n", n); }), EINVAL) << "of a compute unit";
}

TEST_F(GraphTest, BadGraphs) {
  EXPECT_EQ(error_of([&] { graph("gr[2]"); }, "gr[2]"), EINVAL);
  EXPECT_EQ(error_of([&] { graph(""); }), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::graph(device_, xrt::uuid(), "gr[0]"); }), EINVAL);
  EXPECT_EQ(error_of([&] { xrt::graph(xrt::device(), uuid_, "gr[0]"); }), ENODEV);
  const xrt::graph mine = graph("gr[0]");
  EXPECT_EQ(error_of([&] { graph("gr[0]"); }), EINVAL) << "twice";
  EXPECT_EQ(error_of([&] { device_.load_xclbin(one_unit_image_file()); }), EBUSY);
  xrt::graph none;
  int n = 0;
  EXPECT_FALSE(none);
  EXPECT_EQ(error_of([&] { none.run(1); }), EINVAL);
  EXPECT_EQ(error_of([&] { none.wait(); }), EINVAL);
  EXPECT_EQ(error_of([&] { none.read("gr[0].k.n", n); }), EINVAL);
  EXPECT_EQ(error_of([&] { none.get_timestamp(); }), EINVAL);
}

// Another image takes the place: its graphs begin with zeros, and the former UUID is of no use.
TEST_F(GraphTest, OfAnotherImage) {
  {
    xrt::graph counter = graph("gr[0]");
    counter.update("gr[0].k.n", 77);
  }
  const xrt::uuid other = device_.load_xclbin(one_unit_image_file());
  ASSERT_NE(other, uuid_);
  EXPECT_EQ(error_of([&] { graph("gr[0]"); }), EINVAL);
  xrt::graph counter(device_, other, "gr[0]");
  EXPECT_EQ(value(counter, "gr[0].k.n"), 0);
  counter.update("gr[0].k.step", 1u);
  counter.run(3);
  counter.wait();
  EXPECT_EQ(value(counter, "gr[0].k.n"), 3);
}

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

TEST_F(GraphTest, ParametersOfARunningGraph) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.run();
  EXPECT_EQ(value(counter, "gr[0].k.n"), 0);
  counter.update("gr[0].k.step", 1u);
  await_more(counter, "gr[0].k.n", 1);
  // What the host writes is never lost, whatever the kernel is at.
  counter.update("gr[0].k.step", 0u);
  std::this_thread::sleep_for(5ms);
  for (int i = 0; i < 2000; ++i) {
    counter.update("gr[0].k.n", i);
    std::this_thread::sleep_for(100us);
    ASSERT_EQ(value(counter, "gr[0].k.n"), i);
  }
  counter.end();
}

TEST_F(GraphTest, WaitsForSoManyCycles) {
  xrt::graph counter = graph("gr[0]");
  counter.reset();
  counter.update("gr[0].k.step", 1u);
  const auto begin = std::chrono::steady_clock::now();
  counter.run();
  const uint64_t first = counter.get_timestamp();
  counter.wait(uint64_t{100 * kMillionCycles});
  const uint64_t last = counter.get_timestamp();
  EXPECT_GE(last - first, 100 * kMillionCycles);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  std::this_thread::sleep_for(5ms);
  const int suspended = value(counter, "gr[0].k.n");
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
  // Of a clock of 0.1 to 10 GHz.
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

// --- From C ---

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
