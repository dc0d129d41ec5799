// SPDX-License-Identifier: Apache-2.0
// OpenCL works until a process's last destructor, and goes on if somebody has removed the
// process from the table; a process that is stopped inside a lock holds nobody up.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "exit_roles.h"
#include "platform/share/share.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

using share::Owner;
using share::Registry;
using share::Segment;
using Worker = std::unique_ptr<WorkerProcess>;

// Nothing here takes a tenth of this, unless it hangs.
constexpr double kPatience = 60;
constexpr int64_t kMillisecond = 1'000'000;

class ExitTest : public testing::Test {
 protected:
  Worker start(const std::string& role, const Arguments& arguments = {},
               const char* scheduler = "interleave") {
    return std::make_unique<WorkerProcess>(
        role, arguments,
        std::vector<std::string>{segment_.setting(), "CONCLAVE_COMPUTE_UNITS=2",
                                 std::string("CONCLAVE_SCHEDULER=") + scheduler});
  }

  // The entry of a process of the segment in the table; none if it is not there.
  std::optional<Owner> find(pid_t pid) {
    if (!opened_) opened_ = share::MeetingPlace(segment_.name()).find();
    const Registry registry(opened_->layout());
    for (Owner owner : registry.everybody())
      if (registry.identity(owner).pid == pid) return owner;
    return std::nullopt;
  }
  share::ProcessEntry& entry(pid_t pid) {
    return opened_->layout().process(find(pid).value().slot());
  }
  void evict(pid_t pid) {
    if (const auto owner = find(pid)) Registry(opened_->layout()).remove(*owner);
  }

  static bool eventually(const std::function<bool()>& condition) {
    const int64_t deadline = now_ns() + static_cast<int64_t>(kPatience * 1e9);
    while (!condition()) {
      if (now_ns() > deadline) return false;
      sleep_until(now_ns() + kMillisecond);
    }
    return true;
  }
  static bool progresses(const WorkerProcess& worker) {
    const uint32_t before = worker.page().progress;
    return eventually([&] { return worker.page().progress != before; });
  }

  TemporarySegment segment_;
  std::unique_ptr<Segment> opened_;
};

TEST_F(ExitTest, AStaticObjectFinishesItsQueueBesideShortPrograms) {
  const Worker bystander = start("stay", {"7"});
  bystander->receive();
  ASSERT_TRUE(find(bystander->pid()));
  const uint64_t launches = entry(bystander->pid()).launches.load();
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const Worker late = start("late-finish", {"20000"});
    std::vector<Worker> others;
    for (int i = 0; i < 6; ++i) others.push_back(start("short"));
    for (const Worker& other : others) EXPECT_EQ(other->wait(kPatience), 0);
    EXPECT_EQ(late->wait(kPatience), 0);
    EXPECT_EQ(late->page().progress, 4u * 20'000);
  }
  ASSERT_TRUE(find(bystander->pid()));
  EXPECT_EQ(entry(bystander->pid()).launches.load(), launches);
  bystander->send("end");
  EXPECT_EQ(bystander->wait(kPatience), 0);
}

TEST_F(ExitTest, ExitHandlersLaunchKernels) {
  const Worker bystander = start("stay", {"7"});
  bystander->receive();
  ASSERT_TRUE(find(bystander->pid()));
  const uint64_t launches = entry(bystander->pid()).launches.load();
  for (int round = 0; round < 10; ++round) {
    std::vector<Worker> workers;
    for (const char* when : {"before", "after"}) workers.push_back(start("exit-handler", {when}));
    workers.push_back(start("short"));
    for (const Worker& worker : workers) EXPECT_EQ(worker->wait(kPatience), 0);
  }
  ASSERT_TRUE(find(bystander->pid()));
  EXPECT_EQ(entry(bystander->pid()).launches.load(), launches);
  bystander->send("end");
  EXPECT_EQ(bystander->wait(kPatience), 0);
}

// Where nothing runs any more nobody has to notice that a process has ended.
TEST_F(ExitTest, WhoEndsWithNothingToDoLeavesTheTable) {
  for (int round = 0; round < 5; ++round) {
    opened_.reset();  // it goes with each process
    const Worker worker = start("stay", {"3"});
    worker->receive();
    ASSERT_TRUE(find(worker->pid()));
    worker->send("end");
    EXPECT_EQ(worker->wait(kPatience), 0);
    EXPECT_FALSE(find(worker->pid()));
  }
}

TEST_F(ExitTest, WhoIsEvictedGoesOn) {
  for (const char* scheduler : {"interleave", "fcfs"}) {
    SCOPED_TRACE(scheduler);
    opened_.reset();  // the segment has gone with the processes of the round before
    // Long kernels on all units keep the others waiting most of the time.
    std::vector<Worker> workers;
    workers.push_back(start("stream", {"16", "200000"}, scheduler));
    for (int i = 0; i < 2; ++i) workers.push_back(start("stream", {"4", "2000"}, scheduler));
    for (const Worker& worker : workers) worker->receive();
    for (int round = 0; round < 40; ++round) {
      const WorkerProcess& victim = *workers[static_cast<size_t>(round) % workers.size()];
      ASSERT_TRUE(progresses(victim));
      sleep_until(now_ns() + round % 7 * kMillisecond);
      evict(victim.pid());
      ASSERT_TRUE(progresses(victim)) << "round " << round;
      EXPECT_TRUE(eventually([&] { return find(victim.pid()).has_value(); }));
    }
    for (const Worker& worker : workers) worker->page().stop = 1;
    for (const Worker& worker : workers) EXPECT_EQ(worker->wait(kPatience), 0);
  }
}

TEST_F(ExitTest, AStoppedHolderOfTheHeapsLockHoldsNobodyUp) {
  start("short")->wait(kPatience);  // the program is built, and cached
  const Worker stopped = start("stop-in-heap-lock");
  stopped->receive();
  int status;
  ASSERT_EQ(waitpid(stopped->pid(), &status, WUNTRACED), stopped->pid());
  ASSERT_TRUE(WIFSTOPPED(status));
#ifdef __SANITIZE_THREAD__
  constexpr int64_t kSoon = 5000 * kMillisecond;
#else
  constexpr int64_t kSoon = 1000 * kMillisecond;
#endif
  for (int round = 0; round < 3; ++round) {
    const int64_t begin = now_ns();
    EXPECT_EQ(start("short")->wait(kPatience), 0);
    EXPECT_LT(now_ns() - begin, kSoon);
  }
  stopped->signal(SIGCONT);
  EXPECT_EQ(stopped->wait(kPatience), 0);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::exit_roles());
}
