// SPDX-License-Identifier: Apache-2.0
// The host's ports: xrt::aie::bo in one process, and with the kernel at the other end in another.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <future>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "graph_roles.h"
#include "test/common/worker_process.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;
using Mode = xrt::aie::access_mode;

constexpr auto kIn = XCL_BO_SYNC_BO_GMIO_TO_AIE;
constexpr auto kOut = XCL_BO_SYNC_BO_AIE_TO_GMIO;

class Gmio : public testing::Test {
 protected:
  Gmio() : device_(0), uuid_(device_.load_xclbin(gmio_xclbin_file())) {}

  xrt::aie::bo ints(int count, int first = 0) const { return ints_of(device_, count, first); }
  static xrt::aie::bo ints_of(const xrt::device& device, int count, int first) {
    xrt::aie::bo bo(device, static_cast<size_t>(count) * sizeof(int), 0);
    std::iota(bo.map<int*>(), bo.map<int*>() + count, first);
    return bo;
  }
  static void expect_ints(xrt::aie::bo& bo, int first) {
    const int* values = bo.map<int*>();
    for (size_t i = 0; i < bo.size() / sizeof(int); ++i)
      ASSERT_EQ(values[i], first + static_cast<int>(i)) << "at " << i;
  }
  xrt::run start(const std::string& kernel, int count, const xrt::bo* to = nullptr) const {
    xrt::run run(xrt::kernel(device_, uuid_, kernel));
    to ? run.set_arg(1, *to) : run.set_arg(1, 0);
    run.set_arg(2, count);
    run.start();
    return run;
  }

  xrt::aie::device device_;
  xrt::uuid uuid_;
};

// Much more than the streams' buffers hold, so that both sides wait for each other all the time.
TEST_F(Gmio, ThroughAGraph) {
  constexpr int kCount = 20'000;
  xrt::graph graph(device_, uuid_, "gr");
  graph.reset();
  graph.update("gr.k.value", 7);
  xrt::aie::bo in = ints(kCount), out = ints(kCount, -1);
  auto sent = in.async("gr.in", kIn);
  auto received = out.async("gr.out", kOut, out.size(), 0);
  graph.run(kCount);
  sent.wait();
  received.wait();
  received.wait();
  graph.wait(60s);
  expect_ints(out, 7);
}

TEST_F(Gmio, PartsInTheirOrder) {
  constexpr int kCount = 30'000;
  xrt::aie::bo in = ints(kCount), to = ints(kCount, -1);
  xrt::run sink = start("sink:{sink_1}", kCount, &to);
  in.sync("sink", kIn, 4, 0);
  in.sync("sink", kIn, 3, 4);  // not a whole packet
  in.sync("sink", kIn, 39'993, 7);
  for (int i = 1; i < 3; ++i) in.async("sink", kIn, 40'000, static_cast<size_t>(i) * 40'000);
  device_.wait_gmio("sink");
  EXPECT_EQ(sink.wait(60s), ERT_CMD_STATE_COMPLETED);
  expect_ints(to, 0);
}

TEST_F(Gmio, PartOfABufferObject) {
  xrt::aie::bo whole = ints(100);
  xrt::aie::bo part(whole, 40, 200);
  xrt::run source = start("source:{source_1}", 5);
  part.sync("source", kOut, 20, 12);
  EXPECT_EQ(source.wait(60s), ERT_CMD_STATE_COMPLETED);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(whole.map<int*>()[i], i >= 53 && i < 58 ? i - 53 : i);
}

// Packets as large as the buffer: the host must not wait for more than there can be.
TEST_F(Gmio, LargePackets) {
  constexpr int kPages = 50;
  xrt::aie::bo pages = ints(1024 * kPages), first = ints(kPages, -1);
  xrt::run writer = start("pages:{pages_1}", kPages);
  pages.sync("pages", kOut);
  EXPECT_EQ(writer.wait(60s), ERT_CMD_STATE_COMPLETED);
  for (int page = 0; page < kPages; ++page)
    ASSERT_EQ(pages.map<int*>()[1024 * page + 1023], page + 1023);
  xrt::run reader = start("leaves:{leaves_1}", kPages, &first);
  pages.sync("leaves", kIn);
  EXPECT_EQ(reader.wait(60s), ERT_CMD_STATE_COMPLETED);
  expect_ints(first, 0);
}

// What fits into the stream is sent, though nobody takes it yet.
TEST_F(Gmio, BackPressure) {
  xrt::aie::bo in = ints(256), to = ints(512, -1);
  in.sync("sink", kIn);
  xrt::aie::bo large = ints(16 << 10, 256);
  auto sent = large.async("sink", kIn);
  xrt::run sink = start("sink:{sink_1}", 512, &to);
  EXPECT_EQ(sink.wait(60s), ERT_CMD_STATE_COMPLETED);
  expect_ints(to, 0);
  sent.wait();
  device_.reset_array();
}

TEST_F(Gmio, ManyThreads) {
  constexpr int kRounds = 200, kThreads = 4;
  xrt::aie::bo to = ints(kRounds * kThreads * 10, -1);
  xrt::run sink = start("sink:{sink_1}", kRounds * kThreads * 10, &to);
  std::vector<std::future<void>> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.push_back(std::async(std::launch::async, [&, t] {
      xrt::aie::bo ten = ints(10, t * 10);
      for (int i = 0; i < kRounds; ++i) ten.sync("sink", kIn);
    }));
  for (auto& thread : threads) thread.get();
  EXPECT_EQ(sink.wait(60s), ERT_CMD_STATE_COMPLETED);
  // Each transfer in one piece, whosever it is.
  const int* values = to.map<int*>();
  int sum = 0;
  for (int piece = 0; piece < kRounds * kThreads; ++piece)
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(values[piece * 10 + i], values[piece * 10] + i) << piece;
      sum += values[piece * 10 + i];
    }
  EXPECT_EQ(sum, kRounds * (39 * 40 / 2));
}

TEST_F(Gmio, Errors) {
  xrt::aie::bo bo = ints(16);
  for (const char* port : {"none", "", "gr", "gr.k.in", "source_1.out", "host.sink"})
    EXPECT_EQ(error_of([&] { bo.sync(port, kIn); }, "it has gr.in, gr.out, leaves, pages, sink"),
              EINVAL)
        << port;
  EXPECT_EQ(error_of([&] { bo.sync("sink", kOut); }, "leads from the host to the array"), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync("source", kIn); }, "leads from the array to the host"), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync("sink", XCL_BO_SYNC_BO_TO_DEVICE); }, "direction"), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync(kIn); }, "direction"), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync("sink", kIn, 0, 0); }, "0 bytes"), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync("sink", kIn, 64, 1); }, "64 bytes from 1"), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync("sink", kIn, 1, 65); }), EINVAL);
  EXPECT_EQ(error_of([&] { bo.sync("sink", kIn, ~size_t{0}, 2); }), EINVAL);
  EXPECT_EQ(error_of([&] { bo.async("sink", kIn, 65, 0); }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::aie::bo().sync("sink", kIn, 1, 0); }), EINVAL);
  EXPECT_EQ(error_of([&] { device_.wait_gmio("none"); }, "none"), EINVAL);
  EXPECT_EQ(error_of([&] { device_.wait_gmio("sink"); }), 0) << "there is nothing to wait for";
  EXPECT_EQ(error_of([] { xrt::aie::device().wait_gmio("sink"); }, "not open"), EINVAL);
  const xrt::device plain(0);
  EXPECT_EQ(error_of([&] { ints_of(plain, 4, 0).sync("sink", kIn); }, "not open"), EINVAL);
  xrt::bo::async_handle none;
  none.wait();
  xrt::aie::bo(bo, 4, 0).async(XCL_BO_SYNC_BO_TO_DEVICE).wait();
}

TEST_F(Gmio, WithoutPorts) {
  device_.load_xclbin(graph_xclbin_file());
  EXPECT_EQ(error_of([&] { ints(4).sync("sink", kIn); }, "it has none"), EINVAL);
}

TEST_F(Gmio, SharedModeMayNot) {
  device_ = xrt::aie::device(0, Mode::shared);
  xrt::aie::bo bo = ints(16);
  EXPECT_EQ(error_of([&] { bo.sync("sink", kIn); }, "shared mode"), EPERM);
  EXPECT_EQ(error_of([&] { bo.async("source", kOut); }, "shared mode"), EPERM);
  EXPECT_EQ(error_of([&] { device_.wait_gmio("sink"); }, "shared mode"), EPERM);
}

// The xclbin stays while something is on its way, and no longer.
TEST_F(Gmio, PinsTheXclbin) {
  xrt::aie::bo bo = ints(4);
  auto received = bo.async("source", kOut);
  EXPECT_EQ(error_of([&] { device_.load_xclbin(graph_xclbin_file()); }), EBUSY);
  start("source:{source_1}", 4).wait(60s);
  received.wait();
  expect_ints(bo, 0);
  EXPECT_EQ(error_of([&] { device_.load_xclbin(graph_xclbin_file()); }), 0);
}

TEST_F(Gmio, ClosedWhileThreadsWait) {
  xrt::aie::bo bo = ints(4), other = ints(4);
  auto received = bo.async("source", kOut);
  auto waiting = std::async(
      std::launch::async, [&] { return error_of([&] { other.sync("source", kOut); }, "closed"); });
  auto waiting_for_all =
      std::async(std::launch::async, [&] { return error_of([&] { received.wait(); }, "closed"); });
  while (waiting.wait_for(20ms) == std::future_status::ready) FAIL() << "nobody has sent anything";
  device_ = {};
  EXPECT_EQ(waiting.get(), ENODEV);
  EXPECT_EQ(waiting_for_all.get(), ENODEV);
  EXPECT_EQ(error_of([&] { bo.sync("source", kOut); }, "not open"), EINVAL);
  // The next one begins again.
  device_ = xrt::aie::device(0);
  xrt::aie::bo again = ints(4);
  xrt::run source = start("source:{source_1}", 4);
  again.sync("source", kOut);
  source.wait(60s);
  expect_ints(again, 0);
}

// --- Profiling ---

using Option = xrt::aie::profiling::profiling_option;
constexpr Option kEvents = Option::io_stream_running_event_count;

TEST_F(Gmio, ProfilingCountsWords) {
  const xrt::aie::profiling sent(device_), received(device_), nothing(device_);
  xrt::aie::bo bo = ints(100);
  start("source:{source_1}", 10);
  bo.sync("source", kOut, 40, 0);
  EXPECT_EQ(sent.start(kEvents, "sink", "", 0), 0);
  received.start(kEvents, "source_1.out", "", 0);
  nothing.start(kEvents, "gr.k.in", "", 0);
  EXPECT_EQ(sent.read(), 0u);
  xrt::run sink = start("sink:{sink_1}", 100, &bo), source = start("source:{source_1}", 50);
  xrt::aie::bo other = ints(100);
  other.sync("sink", kIn);
  EXPECT_EQ(sent.read(), 100u);
  sink.wait(60s);
  source.wait(60s);
  EXPECT_EQ(received.read(), 50u);
  other.sync("source", kOut, 200, 0);
  EXPECT_EQ(received.read(), 50u);
  EXPECT_EQ(nothing.read(), 0u);
  sent.start(kEvents, "sink", "", 0);
  EXPECT_EQ(sent.read(), 0u) << "from the beginning again";
  sent.stop();
  EXPECT_EQ(error_of([&] { sent.read(); }, "stopped"), EINVAL);
  EXPECT_EQ(error_of([&] { sent.stop(); }, "stopped"), EINVAL);
  sink = source = {};
  device_.load_xclbin(graph_xclbin_file());
  EXPECT_EQ(error_of([&] { received.read(); }, "another xclbin"), EINVAL);
  device_ = {};
  EXPECT_EQ(error_of([&] { received.read(); }, "closed"), EINVAL);
}

TEST_F(Gmio, ProfilingErrors) {
  const xrt::aie::profiling profiling(device_);
  EXPECT_EQ(error_of([&] { profiling.read(); }, "not been started"), EINVAL);
  EXPECT_EQ(error_of([&] { profiling.stop(); }, "not been started"), EINVAL);
  for (const char* port : {"", "none", "gr", "in", "source_1"})
    EXPECT_EQ(error_of([&] { profiling.start(kEvents, port, "", 0); }, port), EINVAL) << port;
  for (const int option : {0, 1, 2, 4, -1})
    EXPECT_EQ(error_of([&] { profiling.start(static_cast<Option>(option), "sink", "", 0); },
                       "io_stream_running_event_count"),
              EINVAL)
        << option;
  EXPECT_EQ(error_of([] { xrt::aie::profiling().start(kEvents, "sink", "", 0); }), EINVAL);
  EXPECT_EQ(error_of([] { xrt::aie::profiling(xrt::device(0)).start(kEvents, "sink", "", 0); },
                     "not open"),
            EINVAL);
  device_ = xrt::aie::device(0, Mode::shared);
  const xrt::aie::profiling shared(device_);
  EXPECT_EQ(error_of([&] { shared.start(kEvents, "sink", "", 0); }, "shared mode"), EPERM);
}

// --- With another process ---

class GmioProcesses : public Gmio {
 protected:
  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  static void step(WorkerProcess& worker, const std::string& line,
                   const std::string& answer = "0") {
    ASSERT_EQ(ask(worker, line), answer) << line;
  }
  GmioProcesses() { step(worker_, "load " + gmio_xclbin_file()); }

  WorkerProcess worker_{"graphs", {}};
};

TEST_F(GmioProcesses, AKernelOfAnotherProcess) {
  constexpr int kCount = 50'000;
  xrt::aie::bo bo = ints(kCount);
  step(worker_, "start sink:{sink_1} 0 " + std::to_string(kCount));
  bo.sync("sink", kIn);
  step(worker_, "finish 60000", "4");
  step(worker_, "check 0 " + std::to_string(kCount));
  step(worker_, "start source:{source_1} 5 " + std::to_string(kCount));
  bo.sync("source", kOut);
  step(worker_, "finish 60000", "4");
  expect_ints(bo, 5);
}

// The kernel waits for what the host has not sent, the host for what the kernel would send then.
TEST_F(GmioProcesses, TheKernelsProcessDies) {
  xrt::aie::bo bo = ints(100);
  for (int round = 0; round < 2; ++round) {
    WorkerProcess driver("graphs", {});
    step(driver, "load " + gmio_xclbin_file());
    step(driver, "graph gr primary");
    step(driver, "reset");
    step(driver, "update gr.k.value 1");
    step(driver, "run 0");
    // Once this has come back, the kernel is there, and waits for more.
    bo.sync("gr.in", kIn, 4, 0);
    bo.sync("gr.out", kOut, 4, 0);
    EXPECT_EQ(bo.map<int*>()[0], 1);
    bo.map<int*>()[0] = 0;
    auto received = bo.async("gr.out", kOut, 4, 0);
    auto next = bo.async("gr.out", kOut, 4, 4);
    driver.signal(SIGKILL);
    driver.wait(10);
    EXPECT_EQ(error_of([&] { received.wait(); }, "ended in the middle"), EIO);
    EXPECT_EQ(error_of([&] { next.wait(); }), EIO);
    EXPECT_EQ(error_of([&] { device_.wait_gmio("gr.out"); }), EIO);
  }
}

TEST_F(GmioProcesses, TheHostDies) {
  device_ = {};
  const xrt::device device(0);
  constexpr int kCount = 1 << 18;
  const std::string count = std::to_string(kCount);
  {
    WorkerProcess host("graphs", {});
    step(host, "load " + gmio_xclbin_file());
    step(host, "array primary");
    step(host, "send sink 0 " + count);  // the stream is full now
    host.signal(SIGSTOP);
    step(worker_, "start sink:{sink_1} 0 " + count);
    step(worker_, "finish 100", "8");
    host.signal(SIGKILL);
    host.wait(10);
    step(worker_, "finish 60000", "5");
  }
  step(worker_, "start sink:{sink_1} 0 " + count);
  device_ = xrt::aie::device(device);
  ints(kCount, 3).sync("sink", kIn);
  step(worker_, "finish 60000", "4");
  step(worker_, "check 3 " + count);
}

// Who waits uses no CPU time, also when it waits for long.
TEST_F(GmioProcesses, WaitingCostsNothing) {
  device_ = {};
  step(worker_, "array exclusive");
  step(worker_, "receive source 10");
  const int64_t before = std::stoll(ask(worker_, "cpu"));
  std::this_thread::sleep_for(500ms);
  EXPECT_LT(std::stoll(ask(worker_, "cpu")) - before, 20'000) << "us";
  step(worker_, "start source:{source_1} 0 10");
  step(worker_, "moved");
  step(worker_, "finish 60000", "4");
  step(worker_, "check 0 10");
}

// Processes end while something is on its way.
TEST_F(GmioProcesses, ProcessesEnd) {
  device_ = {};
  for (const char* start : {"receive source 10", "send sink 0 100000"}) {
    WorkerProcess host("graphs", {});
    step(host, "load " + gmio_xclbin_file());
    step(host, "array primary");
    step(host, start);
    host.send("leave");
    EXPECT_EQ(host.wait(10), 0) << start;
  }
  // What they have sent stays in the stream until then.
  xrt::aie::device(0).reset_array();
}

TEST_F(GmioProcesses, ModesOfProcesses) {
  step(worker_, "array shared");
  step(worker_, "receive source 10", std::to_string(EPERM));
  step(worker_, "send sink 0 10", std::to_string(EPERM));
  step(worker_, "array primary", std::to_string(EBUSY));
  device_ = {};
  step(worker_, "array primary");
  step(worker_, "send sink 0 10");
  step(worker_, "moved");
  EXPECT_EQ(error_of([] { xrt::aie::device(0, Mode::primary); }), EBUSY);
  // What the other one has sent is there for the next kernel.
  const xrt::device device(0);
  xrt::bo to(device, 40, 0);
  xrt::run sink(xrt::kernel(device, uuid_, "sink:{sink_1}"));
  sink.set_arg(1, to);
  sink.set_arg(2, 10);
  sink.start();
  EXPECT_EQ(sink.wait(60s), ERT_CMD_STATE_COMPLETED);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(to.map<int*>()[i], i);
}

}  // namespace
}  // namespace conclave::test
