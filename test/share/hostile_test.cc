// SPDX-License-Identifier: Apache-2.0
// A process that may write the segment writes whatever it likes there, beside honest OpenCL clients
// and the tools: nobody crashes, nobody hangs, results that are said to be right are right, and
// nobody's own memory changes.
#include "hostile_roles.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/share/meeting_place.h"
#include "platform/share/registry.h"
#include "test/common/daemon_process.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_tests.h"
#include "vandal.h"

namespace conclave::test {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1000 * kMillisecond;

// What a client may take at most to get on, or to get an error. Alone it takes a millisecond; under
// attack some seconds, and sanitizers and other work on the machine make all of it slower.
constexpr int64_t kStuck = 20 * kSecond;
constexpr int kToolSeconds = 20;

// How many processes of this user there are.
ptrdiff_t own_processes() {
  ptrdiff_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    struct stat status;
    count += stat(entry.path().c_str(), &status) == 0 && status.st_uid == geteuid() &&
             std::isdigit(entry.path().filename().string()[0]);
  }
  return count;
}

// Who the vandal is to the others: a process of the same user; another user, who shares the device
// by the daemon; a member of a group who share a segment since they trust each other.
enum class Company { kOneUser, kOtherUsers, kGroup };

class Scene {
 public:
  Scene(const std::string& scheduler, Company company) {
    settings_ = {segment_.setting(), "CONCLAVE_SCHEDULER=" + scheduler, "CONCLAVE_COMPUTE_UNITS=4"};
    if (company != Company::kOneUser) share_by_daemon(scheduler, company);
    vandal_ = std::make_unique<WorkerProcess>(
        "vandal", Arguments{std::to_string(random_()), segment_.name()}, settings_);
    for (Place& place : places_) fill(place);
  }

  // Throws std::runtime_error if something is wrong or stuck.
  void run(uint32_t rounds) {
    int64_t next_tool = 0;
    while (vandal_->page().progress < rounds) {
      for (Place& place : places_) look(place);
      look_at_vandal();
      if (now_ns() > next_tool) {
        use_next_tool();
        next_tool = now_ns() + 300 * kMillisecond;
      }
      sleep_until(now_ns() + 5 * kMillisecond);
    }
    vandal_->page().stop = 1;
    if (const int status = vandal_->wait(); status != 0)
      throw std::runtime_error("the vandal ended with status " + std::to_string(status));
    for (Place& place : places_) {
      place.worker->page().stop = 1;
      count(*place.worker);
    }
  }

  void report() const {
    std::printf(
        "%u attacks; %ld clients came to their end; the longest that one stood still %.2f s; "
        "%ld descriptors at most; tools: %ld right, %ld errors\n",
        vandal_->page().progress.load(), ends_, static_cast<double>(longest_) * 1e-9, descriptors_,
        tools_, tool_errors_);
    for (const auto& [error, count] : errors_)
      std::printf("%ld clients got %s\n", count, error.c_str());
  }

  // Clients that came to their end, and whether others were told that somebody has the device
  // alone.
  long ends() const { return ends_; }
  bool were_refused() const { return errors_.contains("clCreateContext: -2"); }

  // Makes sure that something was tested, and that nobody was made to collect descriptors.
  void expect_events() const {
    EXPECT_GT(ends_, 0);
    EXPECT_GT(tools_, 0);
    EXPECT_LE(descriptors_, 60 + own_processes());
  }

 private:
  void share_by_daemon(const std::string& scheduler, Company company) {
    const group* games = getgrnam("games");
    if (!games) throw std::runtime_error("this system has no group 'games'");
    std::string json = "{\"scheduler\": \"" + scheduler + "\"";
    settings_.push_back(kEachAnotherUser);
    if (company == Company::kGroup) {
      json += ", \"sharing-groups\": \"games\"";
      settings_.push_back(kMembersOf + std::to_string(games->gr_gid));
    }
    daemon_ = std::make_unique<DaemonProcess>(segment_.name(), json + "}");
  }

  struct Place {
    std::unique_ptr<WorkerProcess> worker;
    uint32_t progress = 0;
    int64_t moved = 0;
  };

  void fill(Place& place) {
    const uint64_t milliseconds = 500 + random_() % 3000;
    place = {std::make_unique<WorkerProcess>(
                 "honest", Arguments{std::to_string(random_()), std::to_string(milliseconds)},
                 settings_),
             0, now_ns()};
  }

  static bool has_ended(const WorkerProcess& worker) {
    siginfo_t info = {};
    return waitid(P_PID, static_cast<id_t>(worker.pid()), &info, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid != 0;
  }

  // How a client has come to its end.
  void count(WorkerProcess& worker) {
    const int status = worker.wait(static_cast<double>(kStuck) / 1e9);
    if (status == kClearError)
      ++errors_[worker.receive()];
    else if (status == 0)
      ++ends_;
    else
      throw std::runtime_error("an honest client ended with status " + std::to_string(status));
  }

  void look(Place& place) {
    const int64_t now = now_ns();
    if (has_ended(*place.worker)) {
      longest_ = std::max(longest_, now - place.moved);
      count(*place.worker);
      return fill(place);
    }
    if (const uint32_t progress = place.worker->page().progress; progress != place.progress) {
      // What comes before the first kernel is the compiler's time.
      if (place.progress != 0) longest_ = std::max(longest_, now - place.moved);
      place.progress = progress;
      place.moved = now;
    }
    const std::string process = std::to_string(place.worker->pid());
    if (now - place.moved > kStuck) {
      place.worker->print_stacks();
      throw std::runtime_error("an honest client hangs: process " + process);
    }
    std::error_code gone;
    const std::filesystem::directory_iterator open("/proc/" + process + "/fd", gone);
    if (!gone) descriptors_ = std::max(descriptors_, std::distance(open, {}));
  }

  void look_at_vandal() {
    if (has_ended(*vandal_))
      throw std::runtime_error("the vandal ended with status " + std::to_string(vandal_->wait()));
    if (daemon_ && daemon_->has_ended()) throw std::runtime_error("the daemon has ended");
  }

  // A tool shows what it finds, or says what is wrong.
  void use_next_tool() {
    constexpr std::array kTools = {"conclave examine --json",
                                   "ti-mct-heap-check",
                                   "conclave examine",
                                   "ti-mct-heap-check --json --collect",
                                   "conclave metrics",
                                   "conclave metrics --openmetrics",
                                   "conclave top --once --delay 0.1",
                                   "conclave top --json --delay 0.1",
                                   "conclave trace --duration 0.1 --output -",
                                   "conclave reset"};
    const std::string tool = kTools[next_tool_++ % kTools.size()];
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string line = "timeout -s KILL " + std::to_string(kToolSeconds) + " '" +
                             folder.string() + "'/" + tool + " --segment " + segment_.name() +
                             " 2>&1";
    std::FILE* pipe = popen(line.c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot run " + line);
    bool is_clean = true;
    for (int c; (c = std::fgetc(pipe)) != EOF;) is_clean &= c >= ' ' || c == '\n';
    const int status = pclose(pipe);
    if (!is_clean) throw std::runtime_error(tool + " prints control characters");
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
      throw std::runtime_error(line + " ended with status " + std::to_string(status));
    ++(status == 0 ? tools_ : tool_errors_);
  }

  TemporarySegment segment_{".hostile"};
  std::unique_ptr<DaemonProcess> daemon_;
  std::vector<std::string> settings_;
  std::mt19937 random_{std::random_device{}()};
  std::unique_ptr<WorkerProcess> vandal_;
  std::array<Place, 4> places_;
  size_t next_tool_ = 0;
  int64_t ends_ = 0, tools_ = 0, tool_errors_ = 0;
  std::map<std::string, int64_t> errors_;
  int64_t longest_ = 0;
  ptrdiff_t descriptors_ = 0;
};

// The parameter is the scheduler.
class Hostile : public testing::TestWithParam<const char*> {
 protected:
  // CONCLAVE_HOSTILE_ROUNDS says how many attacks.
  void vandalize(Company company) {
    if (company != Company::kOneUser && geteuid() != 0)
      GTEST_SKIP() << "only root can become other users";
    const char* wanted = std::getenv("CONCLAVE_HOSTILE_ROUNDS");
    const int rounds = wanted ? std::atoi(wanted) : 600;
    ASSERT_GT(rounds, 0) << "CONCLAVE_HOSTILE_ROUNDS=" << wanted;
    // By the rules a vandal may have the device alone for as long as it is there, and all others
    // are refused then. That is a test of little, so another one comes.
    for (bool has_ends = false; !has_ends && !HasFailure();) {
      Scene scene(GetParam(), company);
      EXPECT_NO_THROW(scene.run(static_cast<uint32_t>(rounds)));
      scene.report();
      has_ends = scene.ends() > 0;
      if (has_ends || !scene.were_refused()) scene.expect_events();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, Hostile, testing::Values("interleave", "fcfs"),
                         [](const auto& scheduler) { return std::string(scheduler.param); });

TEST_P(Hostile, VandalHarmsNobody) {
  vandalize(Company::kOneUser);
}

TEST_P(Hostile, VandalHarmsNoOtherUser) {
  vandalize(Company::kOtherUsers);
}

TEST_P(Hostile, VandalHarmsNobodyOfAGroup) {
  vandalize(Company::kGroup);
}

// A client at work, another one that does nothing, and the segment as both see it.
class Forgery : public Hostile {
 protected:
  void SetUp() override {
    const std::vector<std::string> settings = {segment_.setting(),
                                               "CONCLAVE_SCHEDULER=" + std::string(GetParam()),
                                               "CONCLAVE_COMPUTE_UNITS=4"};
    idle_ = std::make_unique<WorkerProcess>("idle", Arguments{}, settings);
    idle_->receive();
    busy_ = std::make_unique<WorkerProcess>("honest", Arguments{"1", "600000"}, settings);
    opened_ = share::MeetingPlace(segment_.name()).find();
    ASSERT_TRUE(opened_);
    ASSERT_TRUE(goes_on());
  }
  void TearDown() override {
    busy_->page().stop = 1;
    EXPECT_EQ(busy_->wait(), 0);
    idle_->send("end");
    EXPECT_EQ(idle_->wait(), 0);
  }

  const share::Layout& layout() const { return opened_->layout(); }
  share::Owner owner_of(const WorkerProcess& worker) const {
    const share::Registry registry(layout());
    for (share::Owner owner : registry.everybody())
      if (registry.identity(owner).pid == worker.pid()) return owner;
    return {};
  }
  // Whether the client at work runs some kernels more.
  bool goes_on() const {
    constexpr uint32_t kGroups = 500;
    const uint32_t before = busy_->page().progress;
    for (const int64_t end = now_ns() + kStuck; now_ns() < end;) {
      if (busy_->page().progress - before > kGroups) return true;
      sleep_until(now_ns() + kMillisecond);
    }
    return false;
  }

  TemporarySegment segment_{".forgery"};
  std::unique_ptr<WorkerProcess> idle_, busy_;
  std::unique_ptr<share::Segment> opened_;
};
INSTANTIATE_TEST_SUITE_P(, Forgery, testing::Values("interleave", "fcfs"),
                         [](const auto& scheduler) { return std::string(scheduler.param); });

// A lease that nobody will ever give back, since its owner does not know of it.
TEST_P(Forgery, LeasesKeepNobodyWaiting) {
  using share::Lease;
  const std::map<std::string, share::Owner> owners = {{"the client itself", owner_of(*busy_)},
                                                      {"one that does nothing", owner_of(*idle_)},
                                                      {"one that there is not", {700, 3}},
                                                      {"nobody", {}}};
  uint32_t version = 0;
  for (const auto& [whose, owner] : owners) {
    for (Lease::State state : {Lease::kFree, Lease::kIdle, Lease::kGranted, Lease::kActive}) {
      for (bool contended : {false, true}) {
        SCOPED_TRACE(whose + ", state " + std::to_string(state) + (contended ? ", contended" : ""));
        for (uint32_t unit = 0; unit < share::kCuEntries; ++unit)
          layout().unit(unit).lease.store(Lease{owner, state, contended, ++version}.word());
        ASSERT_TRUE(goes_on());
      }
    }
  }
}

// Requests in the name of processes that do not have them. With a small ticket, or much CU time to
// its credit, such a process is the first to be handed each unit.
TEST_P(Forgery, RequestsKeepNobodyWaiting) {
  using share::Lease;
  const std::map<std::string, share::Owner> owners = {{"the client itself", owner_of(*busy_)},
                                                      {"one that does nothing", owner_of(*idle_)}};
  uint32_t version = 0;
  for (const auto& [whose, owner] : owners) {
    for (uint64_t ticket : {uint64_t{1}, share::Request::kNotDrawn}) {
      SCOPED_TRACE(whose + ", ticket " + std::to_string(ticket));
      share::ProcessEntry& entry = layout().process(owner.slot());
      entry.recent_use.store(0);
      for (share::Request& request : entry.requests) {
        for (auto& units : request.units) units.store(UINT64_MAX);
        request.ticket.store(ticket);
      }
      layout().header().waiting[0].store(UINT64_MAX);
      for (uint32_t unit = 0; unit < share::kCuEntries; ++unit)
        layout().unit(unit).lease.store(Lease{{}, Lease::kFree, true, ++version}.word());
      ASSERT_TRUE(goes_on());
    }
  }
}

// The process that finds it goes on without the others, and they know that it has left.
TEST_P(Forgery, DamagedSegmentIsLeft) {
  const share::Owner busy = owner_of(*busy_);
  ASSERT_TRUE(busy);
  layout().header().magic.store(1);
  EXPECT_TRUE(goes_on());
  const auto state = share::EntryState::of(layout().process(busy.slot()).state.load());
  EXPECT_TRUE(state.state == share::ProcessEntry::kRemoving ||
              state.generation != busy.generation());
  layout().header().magic.store(share::kMagic);
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  return conclave::test::run_role_or_tests(argc, argv, conclave::test::hostile_roles());
}
