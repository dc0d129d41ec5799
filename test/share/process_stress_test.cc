// SPDX-License-Identifier: Apache-2.0
// Many processes on one device, with every result checked. They are ordinary OpenCL programs
// (process_roles.h); this one only starts, stops and kills them.
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "remains.h"
#include "soak_roles.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

// Nothing here takes a tenth of this, unless it hangs.
constexpr double kPatience = 60;

constexpr int64_t kMillisecond = 1'000'000;

using Workers = std::vector<std::unique_ptr<WorkerProcess>>;

// What a process is told about the device.
struct Device {
  explicit Device(const std::vector<std::string>& settings) {
    WorkerProcess worker("device", {}, settings);
    ours = worker.receive() == "Conclave";
    units = std::stoul(worker.receive());
    extensions = worker.receive();
    worker.wait();
  }
  bool ours = false;
  size_t units = 0;
  std::string extensions;
};

// The parameter is the scheduler.
class ProcessStress : public testing::TestWithParam<const char*> {
 protected:
  std::vector<std::string> settings(unsigned units, const std::string& list = "") const {
    std::vector<std::string> all = {segment_.setting(),
                                    "CONCLAVE_SCHEDULER=" + std::string(GetParam()),
                                    "CONCLAVE_COMPUTE_UNITS=" + std::to_string(units)};
    if (!list.empty()) all.push_back("TI_OCL_COMPUTE_UNIT_LIST=" + list);
    return all;
  }

  // What still belongs to `processes` after some seconds.
  std::string lasting_remains(const std::set<pid_t>& processes) const {
    std::string remains = remains_of(processes, segment_.name());
    for (int i = 0; i < 100 && !remains.empty(); ++i) {
      sleep_until(now_ns() + 50 * kMillisecond);
      remains = remains_of(processes, segment_.name());
    }
    return remains;
  }

  // The maker of a segment sets its policy, so each scheduler has a segment of its own.
  TemporarySegment segment_{"." + std::string(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(, ProcessStress, testing::Values("interleave", "fcfs"),
                         [](const auto& scheduler) { return std::string(scheduler.param); });

void expect_all_right(Workers& workers) {
  for (const auto& worker : workers) EXPECT_EQ(worker->wait(kPatience), 0);
}

void stop(Workers& workers) {
  for (const auto& worker : workers) worker->page().stop = 1;
  expect_all_right(workers);
}

bool progresses(const WorkerProcess& worker, double patience = kPatience) {
  const uint32_t before = worker.page().progress;
  const int64_t deadline = now_ns() + static_cast<int64_t>(patience * 1e9);
  while (worker.page().progress == before) {
    if (now_ns() > deadline) return false;
    sleep_until(now_ns() + kMillisecond);
  }
  return true;
}

TEST_P(ProcessStress, OverlappingComputeUnitLists) {
  struct Case {
    const char* list;
    size_t units;
  };
  constexpr Case kCases[] = {{"0,1,2,3", 4}, {"0,1,2,3", 4}, {"4,5", 2}, {"6,7", 2},
                             {"0,2,4,6", 4}, {"1,5,7", 3},   {"3", 1},   {"0,1,2,3,4,5,6,7", 8}};
  if (Device(settings(8)).ours) {
    for (const Case& one : kCases)
      EXPECT_EQ(Device(settings(8, one.list)).units, one.units) << one.list;
  }
  Workers workers;
  for (const Case& one : kCases)
    workers.push_back(std::make_unique<WorkerProcess>("launches", Arguments{"100", "64", "10000"},
                                                      settings(8, one.list)));
  expect_all_right(workers);
}

TEST_P(ProcessStress, ShortKernelsBesideLongOnes) {
  Workers workers;
  for (int i = 0; i < 2; ++i)
    workers.push_back(
        std::make_unique<WorkerProcess>("launches", Arguments{"3", "1024", "50000"}, settings(2)));
  for (int i = 0; i < 2; ++i)
    workers.push_back(
        std::make_unique<WorkerProcess>("launches", Arguments{"50", "4", "2500"}, settings(2)));
  expect_all_right(workers);
}

TEST_P(ProcessStress, StoppedProcess) {
  Workers workers;
  for (int i = 0; i < 3; ++i)
    workers.push_back(
        std::make_unique<WorkerProcess>("mix", Arguments{std::to_string(i)}, settings(2)));
  for (const auto& worker : workers) ASSERT_TRUE(progresses(*worker));
  for (int round = 0; round < 6; ++round) {
    WorkerProcess& stopped = *workers[round % workers.size()];
    stopped.signal(SIGSTOP);
    sleep_until(now_ns() + 300 * kMillisecond);
    stopped.signal(SIGCONT);
    for (const auto& worker : workers) ASSERT_TRUE(progresses(*worker));
  }
  stop(workers);
}

// A process that is stopped while it waits for the compute unit is handed it sooner or later. Then
// the others take it back, once; they do not wait until they count as starved, after three seconds.
TEST_P(ProcessStress, OthersGoOnBesideAStoppedProcess) {
  constexpr double kSoon = 2.5;
  Workers workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(std::make_unique<WorkerProcess>(
        "stream", Arguments{"16", "2000", std::to_string(CL_QUEUE_PRIORITY_MED_KHR)}, settings(1)));
    ASSERT_EQ(workers.back()->receive(kPatience), "ready");
  }
  for (const auto& worker : workers) worker->send("go");
  for (const auto& worker : workers) ASSERT_TRUE(progresses(*worker));
  for (int round = 0; round < 12; ++round) {
    WorkerProcess& stopped = *workers[round % workers.size()];
    sleep_until(now_ns() + (5 + round) * kMillisecond);
    stopped.signal(SIGSTOP);
    for (int turn = 0; turn < 3; ++turn)
      for (const auto& worker : workers) {
        if (worker.get() == &stopped) continue;
        EXPECT_TRUE(progresses(*worker, kSoon)) << "round " << round << ", turn " << turn;
      }
    stopped.signal(SIGCONT);
    EXPECT_TRUE(progresses(stopped, kSoon)) << "round " << round;
  }
  stop(workers);
}

// Workers that are killed at random moments and replaced, and the expectations on the others.
class Siege {
 public:
  Siege(unsigned count, std::vector<std::string> settings) : settings_(std::move(settings)) {
    places_.resize(count);
    for (Place& place : places_) fill(place);
  }

  void kill_one() {
    Place& place = places_[random_() % places_.size()];
    place.worker->signal(SIGKILL);
    // Another status is that of a worker that had found something wrong.
    EXPECT_EQ(place.worker->wait(kPatience), 128 + SIGKILL);
    dead_.insert(place.worker->pid());
    fill(place);
  }
  void sleep() { sleep_until(now_ns() + random_() % 150 * kMillisecond); }

  // Whether none of the workers has stood still for too long.
  bool nobody_hangs() {
    const int64_t now = now_ns();
    for (Place& place : places_) {
      const uint32_t progress = place.worker->page().progress;
      if (progress != place.progress) {
        place.progress = progress;
        place.moved = now;
      }
      if (static_cast<double>(now - place.moved) * 1e-9 > kPatience) return false;
    }
    return true;
  }

  bool all_progress() const {
    return std::all_of(places_.begin(), places_.end(),
                       [](const Place& place) { return progresses(*place.worker); });
  }

  void finish() {
    for (Place& place : places_) place.worker->page().stop = 1;
    for (Place& place : places_) EXPECT_EQ(place.worker->wait(kPatience), 0);
  }

  const std::set<pid_t>& dead() const { return dead_; }
  std::set<pid_t> living() const {
    std::set<pid_t> pids;
    for (const Place& place : places_) pids.insert(place.worker->pid());
    return pids;
  }

 private:
  struct Place {
    std::unique_ptr<WorkerProcess> worker;
    uint32_t progress = 0;
    int64_t moved = 0;
  };

  void fill(Place& place) {
    place = {
        std::make_unique<WorkerProcess>("mix", Arguments{std::to_string(random_())}, settings_), 0,
        now_ns()};
  }

  std::vector<std::string> settings_;
  std::vector<Place> places_;
  std::set<pid_t> dead_;
  std::mt19937 random_{20240607};
};

// CONCLAVE_STRESS_KILLS says how many.
TEST_P(ProcessStress, KilledAtRandomMoments) {
  const char* wanted = std::getenv("CONCLAVE_STRESS_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 60;
  ASSERT_GT(kills, 0) << "CONCLAVE_STRESS_KILLS=" << wanted;
  const Device device(settings(4));
  Siege siege(8, settings(4));
  for (int i = 0; i < kills; ++i) {
    siege.sleep();
    siege.kill_one();
    ASSERT_TRUE(siege.nobody_hangs());
  }
  ASSERT_TRUE(siege.all_progress());
  // The others notice the last death in a moment.
  if (device.ours) {
    EXPECT_EQ(lasting_remains(siege.dead()), "");
    EXPECT_NE(remains_of(siege.living(), segment_.name()), "") << "the tools show nobody";
  }
  siege.finish();
  if (device.ours) {
    EXPECT_EQ(all_remains(segment_.name()), "");
  }
}

class Priority : public ProcessStress {};
INSTANTIATE_TEST_SUITE_P(, Priority, testing::Values("interleave"),
                         [](const auto& scheduler) { return std::string(scheduler.param); });

TEST_P(Priority, HighGetsMoreThanLow) {
  if (Device(settings(2)).extensions.find("cl_khr_priority_hints") == std::string::npos)
    GTEST_SKIP() << "the device does not have cl_khr_priority_hints";
  // CL_QUEUE_PRIORITY_HIGH_KHR and _LOW_KHR
  Workers workers;
  for (const char* priority : {"1", "4"})
    workers.push_back(std::make_unique<WorkerProcess>("stream", Arguments{"256", "50000", priority},
                                                      settings(2)));
  for (const auto& worker : workers) worker->receive(kPatience);
  for (const auto& worker : workers) worker->send("go");
  for (const auto& worker : workers) ASSERT_TRUE(progresses(*worker));
  // Other work on the machine may disturb a span of time or another.
  uint32_t done[2];
  for (int span = 0; span < 5; ++span) {
    for (int i = 0; i < 2; ++i) done[i] = workers[i]->page().progress;
    sleep_until(now_ns() + 2000 * kMillisecond);
    for (int i = 0; i < 2; ++i) done[i] = workers[i]->page().progress - done[i];
    if (done[0] > 1.5 * done[1]) break;
  }
  stop(workers);
  EXPECT_GT(done[0], 1.5 * done[1]);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::soak_roles());
}
