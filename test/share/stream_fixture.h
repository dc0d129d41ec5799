// SPDX-License-Identifier: Apache-2.0
// Processes at the ends of streams, which do as a test says (graph_roles.h).
#ifndef CONCLAVE_TEST_SHARE_STREAM_FIXTURE_H_
#define CONCLAVE_TEST_SHARE_STREAM_FIXTURE_H_

#include <CL/cl_ext_conclave.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "graph_roles.h"
#include "test/common/daemon_process.h"
#include "test/common/temporary_segment.h"

namespace conclave::test {

// More than is in any buffer, and so many that a process can be stopped in the middle.
inline constexpr int kMany = 10'000'000;
inline const std::string kCompleted = "4", kFailed = "5", kTimeout = "8";
inline const std::string kBroken = std::to_string(CL_ERROR_STREAM_BROKEN_CONCLAVE);

inline std::string ask(WorkerProcess& worker, const std::string& line) {
  worker.send(line);
  return worker.receive();
}
inline std::string errno_text(int error) {
  return std::to_string(error);
}

class StreamTest : public testing::Test {
 protected:
  // From now on each process is another user's, and the daemon stands between them.
  void be_users() {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become other users";
    start_daemon();
    settings_.push_back(kEachAnotherUser);
  }
  void start_daemon() {
    daemon_.reset();
    daemon_ = std::make_unique<DaemonProcess>(segment_.name());
  }
  // A process that has loaded the xclbin.
  WorkerProcess& process(const std::vector<std::string>& settings = {},
                         const std::string& load = "load") {
    WorkerProcess& worker =
        workers_.emplace_back("graphs", Arguments{}, settings.empty() ? settings_ : settings);
    EXPECT_EQ(ask(worker, load), "0");
    return worker;
  }
  static void step(WorkerProcess& worker, const std::string& line,
                   const std::string& expected = "0") {
    EXPECT_EQ(ask(worker, line), expected) << line;
  }
  // The kernels of two processes, from beginning to end.
  static void transfer(WorkerProcess& writer, const std::string& out, WorkerProcess& reader,
                       const std::string& in, int first, int count) {
    const std::string numbers = " " + std::to_string(first) + " " + std::to_string(count);
    step(reader, "start " + in + numbers);
    step(writer, "start " + out + numbers);
    step(writer, "finish 60000", kCompleted);
    step(reader, "finish 60000", kCompleted);
    step(reader, "check" + numbers);
  }
  static void kill(WorkerProcess& worker) {
    worker.signal(SIGKILL);
    worker.wait();
  }
  // Lets the process do no more, and the others notice that nothing comes.
  static void stop(WorkerProcess& worker) {
    worker.signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  // Its kernel has begun, and waits for somebody.
  static void begin(WorkerProcess& worker, const std::string& what, int count) {
    step(worker, "start " + what + " 0 " + std::to_string(count));
    step(worker, "finish 50", kTimeout);
  }
  // The process of one end dies in the middle, and the other end is told. The next process may come
  // before that end starts again, or after it.
  void expect_replaced(const std::string& dying, const std::string& living) {
    using Clock = std::chrono::steady_clock;
    const std::string anew = " 3 1000";
    WorkerProcess& survivor = process();
    for (int round = 0; round < 3; ++round) {
      WorkerProcess& victim = process();
      begin(victim, dying, kMany);
      step(survivor, "clstart " + living + " 0 " + std::to_string(kMany));
      stop(victim);
      const auto death = Clock::now();
      kill(victim);
      step(survivor, "clfinish", kBroken);
      EXPECT_LT(Clock::now() - death, std::chrono::seconds(1)) << "it was not woken";
      WorkerProcess& next = process();
      if (round != 2) step(next, "start " + dying + anew);
      step(survivor, "clstart " + living + anew);
      if (round == 2) step(next, "start " + dying + anew);
      step(survivor, "clfinish", "0");
      step(next, "finish 10000", kCompleted);
      step(dying.starts_with("sink") ? next : survivor, "check" + anew);
    }
  }
  // While it waits a process uses less than 5 % of a CPU.
  static void expect_idle(WorkerProcess& worker) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const long before = std::stol(ask(worker, "cpu"));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_LT(std::stol(ask(worker, "cpu")) - before, 25'000) << "microseconds";
  }

  // Only for this test, since streams keep their content.
  static std::string next_suffix() {
    static int tests = 0;
    return ".stream" + std::to_string(++tests);
  }
  const TemporarySegment segment_{next_suffix()};
  std::vector<std::string> settings_{segment_.setting()};
  std::unique_ptr<DaemonProcess> daemon_;
  std::list<WorkerProcess> workers_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_STREAM_FIXTURE_H_
