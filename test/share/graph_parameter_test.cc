// SPDX-License-Identifier: Apache-2.0
// Run-time parameters of graphs: what the host writes and reads, and what is wrong.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "graph_fixture.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

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

}  // namespace
}  // namespace conclave::test
