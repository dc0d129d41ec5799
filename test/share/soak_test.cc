// SPDX-License-Identifier: Apache-2.0
// Sixteen processes of mixed roles for a long time, some of which are killed, stopped and continued
// at random moments: nothing is stuck, nothing wrong, nothing left over.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "remains.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_process.h"

namespace conclave::test {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1000 * kMillisecond;

// A process that is not stopped and makes no progress for so long is reported, with the state of
// the device; after so long it is stuck. Building kernels, at the start, is no progress.
constexpr int64_t kSlow = 10 * kSecond;
constexpr int64_t kStuck = 30 * kSecond;

struct Part {
  const char* role;
  Arguments arguments;  // a seed follows if there are none
  bool is_short = false;
};
const Part kMix = {"mix", {}}, kFaults = {"faults", {}}, kGangs = {"gangs", {}},
           kStream = {"stream", {"16", "20000", "2"}},
           kShort = {"launches", {"5", "32", "5000"}, true};

// The first ones are stopped like the others, and never killed.
constexpr size_t kSurvivors = 4;
const std::array kParts = {kMix,   kFaults, kGangs, kStream, kMix,    kFaults, kShort, kMix,
                           kShort, kFaults, kGangs, kShort,  kStream, kFaults, kMix,   kShort};

// What a process that lives long may not collect.
struct Belongings {
  explicit Belongings(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    descriptors = std::distance(std::filesystem::directory_iterator(folder + "/fd"), {});
    std::ifstream statm(folder + "/statm");
    size_t all = 0;
    statm >> all >> resident_kib;
    resident_kib *= 4;
  }
  int64_t descriptors = 0;
  int64_t resident_kib = 0;
};

class Soak {
 public:
  explicit Soak(const std::string& scheduler) : segment_(".soak." + scheduler) {
    settings_ = {segment_.setting(), "CONCLAVE_SCHEDULER=" + scheduler, "CONCLAVE_COMPUTE_UNITS=4"};
    for (size_t i = 0; i < places_.size(); ++i) fill(i);
  }

  // Throws std::runtime_error if something is wrong or stuck.
  void run(int64_t nanoseconds) {
    const int64_t start = now_ns(), end = start + nanoseconds;
    int64_t next_kill = start, next_stop = start, next_report = start + 60 * kSecond;
    while (now_ns() < end) {
      look();
      if (take(next_kill, 800)) kill_one();
      if (take(next_stop, 300)) stop_one();
      if (now_ns() > start + nanoseconds / 5 && early_.empty() && survivors_work())
        early_ = belongings();
      if (take(next_report, 0)) {
        next_report += 60 * kSecond;
        report((now_ns() - start) / kSecond);
      }
      sleep_until(now_ns() + 2 * kMillisecond);
    }
    report(nanoseconds / kSecond);
  }

  void expect_survivors_are_well() {
    ASSERT_FALSE(early_.empty()) << "not all have started";
    const std::vector<Belongings> late = belongings();
    for (size_t i = 0; i < kSurvivors; ++i) {
      SCOPED_TRACE(kParts[i].role);
      // One of all processes holds a descriptor of each of the others.
      EXPECT_LE(late[i].descriptors, early_[i].descriptors + 24);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      EXPECT_LE(late[i].resident_kib, early_[i].resident_kib + 8192);
#endif
    }
  }

  // Nothing of the dead is left while the others go on, and nothing at all when they have ended.
  void finish() {
    EXPECT_EQ(lasting([this] { return remains_of(dead_, segment_.name()); }), "");
    for (Place& place : places_) resume(place);
    for (Place& place : places_) place.worker->page().stop = 1;
    for (Place& place : places_) {
      try {
        EXPECT_EQ(place.worker->wait(60), 0);
      } catch (const std::exception& error) {
        throw std::runtime_error(error.what() + state_of(place.worker->pid()));
      }
    }
    EXPECT_EQ(lasting([this] { return all_remains(segment_.name()); }), "");
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
      EXPECT_FALSE(entry.path().filename().string().starts_with(segment_.name())) << entry.path();
  }

  // Makes sure that something was tested.
  void expect_events() const {
    EXPECT_GT(kills_, 0);
    EXPECT_GT(stops_, 0);
    EXPECT_GT(short_runs_, 0);
    for (const char* role : {"mix", "faults", "gangs", "stream"})
      EXPECT_GT(done_.at(role), 0) << role;
  }

 private:
  struct Place {
    std::unique_ptr<WorkerProcess> worker;
    uint32_t progress = 0;
    bool slow = false;
    int64_t moved = 0;       // when it made progress; later by the time for which it was stopped
    int64_t stopped_at = 0;  // 0: it is not stopped
    int64_t stopped_to = 0;

    int64_t still(int64_t now) const { return now - moved; }
  };

  void fill(size_t i) {
    const Part& part = kParts[i];
    Arguments arguments = part.arguments;
    if (arguments.empty()) arguments.push_back(std::to_string(random_()));
    places_[i] = {std::make_unique<WorkerProcess>(part.role, arguments, settings_)};
    Place& place = places_[i];
    place.moved = now_ns();
    dead_.erase(place.worker->pid());  // numbers are used again
    if (part.role == kStream.role) place.worker->send("go");
  }

  void refill(size_t i) {
    dead_.insert(places_[i].worker->pid());
    fill(i);
  }

  // Whether it is time; the next time is random, `most_ms` away at most.
  bool take(int64_t& next, int64_t most_ms) {
    if (now_ns() < next) return false;
    if (most_ms) next = now_ns() + static_cast<int64_t>(random_()) % (most_ms * kMillisecond);
    return true;
  }

  static bool has_ended(const WorkerProcess& worker) {
    siginfo_t info = {};
    return waitid(P_PID, static_cast<id_t>(worker.pid()), &info, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid != 0;
  }

  void look() {
    for (size_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[i];
      if (has_ended(*place.worker)) {
        const int status = place.worker->wait();
        if (status != 0 || !kParts[i].is_short)
          throw std::runtime_error(kParts[i].role + std::string(" ended with status ") +
                                   std::to_string(status));
        ++short_runs_;
        refill(i);
        continue;
      }
      const int64_t now = now_ns();
      if (place.stopped_at != 0) {
        if (now > place.stopped_to) resume(place);
        continue;
      }
      if (const uint32_t progress = place.worker->page().progress; progress != place.progress) {
        done_[kParts[i].role] += progress > place.progress ? progress - place.progress : 0;
        place.progress = progress;
        place.moved = now;
        place.slow = false;
      }
      if (place.still(now) > kStuck)
        throw std::runtime_error(kParts[i].role + std::string(" makes no progress") +
                                 state_of(place.worker->pid()));
      if (place.still(now) > kSlow && !place.slow) {
        place.slow = true;
        ++slow_;
        std::printf("%s (process %d) is slow\n%s", kParts[i].role, place.worker->pid(),
                    examine().c_str());
      }
    }
  }

  void resume(Place& place) {
    if (place.stopped_at == 0) return;
    place.worker->signal(SIGCONT);
    place.moved += now_ns() - place.stopped_at;
    place.stopped_at = 0;
  }

  void stop_one() {
    Place& place = places_[random_() % places_.size()];
    if (place.stopped_at != 0) return;
    place.worker->signal(SIGSTOP);
    place.stopped_at = now_ns();
    place.stopped_to = place.stopped_at + static_cast<int64_t>(1 + random_() % 500) * kMillisecond;
    ++stops_;
  }

  void kill_one() {
    const size_t i = kSurvivors + random_() % (places_.size() - kSurvivors);
    Place& place = places_[i];
    // The death of one that seems to be stuck would hide that.
    if (place.still(place.stopped_at != 0 ? place.stopped_at : now_ns()) > kSlow / 4) return;
    place.worker->signal(SIGKILL);
    const int status = place.worker->wait();
    // Another status is that of a worker that had found something wrong.
    if (status != 128 + SIGKILL && !(kParts[i].is_short && status == 0))
      throw std::runtime_error(kParts[i].role + std::string(" ended with status ") +
                               std::to_string(status));
    ++kills_;
    killed_while_stopped_ += place.stopped_at != 0;
    refill(i);
  }

  bool survivors_work() const {
    return std::all_of(places_.begin(), places_.begin() + kSurvivors,
                       [](const Place& place) { return place.progress != 0; });
  }

  std::vector<Belongings> belongings() const {
    std::vector<Belongings> all;
    for (size_t i = 0; i < kSurvivors; ++i) all.emplace_back(places_[i].worker->pid());
    return all;
  }

  // What is found although some seconds have passed.
  template <typename Find>
  static std::string lasting(const Find& find) {
    std::string found = find();
    for (int i = 0; i < 100 && !found.empty(); ++i) {
      sleep_until(now_ns() + 50 * kMillisecond);
      found = find();
    }
    return found;
  }

  std::string examine(const std::string& more = "") const {
    return tool_output("conclave examine --segment " + segment_.name() + more);
  }
  // For the reader of the test's output: the device, and what the process does.
  std::string state_of(pid_t pid) const {
    const std::string process = std::to_string(pid);
    return " (process " + process + ")\n" +
           examine("; gdb -p " + process + " -batch -ex 'thread apply all bt' 2>&1 || true");
  }

  void report(int64_t seconds) const {
    std::printf("%6ld s: %ld kills (%ld of stopped ones), %ld stops, %ld slow, %ld short programs;",
                seconds, kills_, killed_while_stopped_, stops_, slow_, short_runs_);
    for (const auto& [role, done] : done_) std::printf(" %s %ld", role.c_str(), done);
    for (const Belongings& one : belongings())
      std::printf("; %ld descriptors, %ld KiB", one.descriptors, one.resident_kib);
    std::printf("\n");
    std::fflush(stdout);
  }

  TemporarySegment segment_;
  std::vector<std::string> settings_;
  std::mt19937 random_{std::random_device{}()};
  std::set<pid_t> dead_;
  int64_t kills_ = 0, killed_while_stopped_ = 0, stops_ = 0, short_runs_ = 0, slow_ = 0;
  std::map<std::string, int64_t> done_;  // work-groups, by role
  std::vector<Belongings> early_;
  std::array<Place, kParts.size()> places_;
};

// The parameter is the scheduler.
class ProcessSoak : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, ProcessSoak, testing::Values("interleave", "fcfs"),
                         [](const auto& scheduler) { return std::string(scheduler.param); });

bool is_conclave() {
  const TemporarySegment segment(".device");
  WorkerProcess device("device", {}, {segment.setting()});
  return device.receive() == "Conclave" && device.wait() == 0;
}

// CONCLAVE_SOAK_SECONDS says how long.
TEST_P(ProcessSoak, KilledAndStoppedAtRandomMoments) {
  const char* wanted = std::getenv("CONCLAVE_SOAK_SECONDS");
  const int seconds = wanted ? std::atoi(wanted) : 8;
  ASSERT_GT(seconds, 0) << "CONCLAVE_SOAK_SECONDS=" << wanted;
  if (!is_conclave()) GTEST_SKIP() << "other implementations end at a kernel's fault";
  Soak soak(GetParam());
  ASSERT_NO_THROW(soak.run(seconds * kSecond));
  soak.expect_survivors_are_well();
  ASSERT_NO_THROW(soak.finish());
  soak.expect_events();
}

}  // namespace
}  // namespace conclave::test
