// SPDX-License-Identifier: Apache-2.0
// A process of the same user writes whatever it likes into the memory of graphs and streams, beside
// others that run graphs and streams: nobody crashes, nobody hangs, nobody's own memory changes,
// and those who use neither do not notice. CONCLAVE_HOSTILE_ROUNDS says how many attacks.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "graph_hostile_roles.h"
#include "graph_roles.h"
#include "platform/share/graph_area.h"
#include "platform/share/meeting_place.h"
#include "test/common/temporary_segment.h"

namespace conclave::test {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

// Within this a user comes to an end or to an error. Alone that takes milliseconds, under attack
// seconds; sanitizers and other work on the machine make all of it slower.
constexpr int64_t kStuck = 30'000 * kMillisecond;

class GraphHostile : public testing::Test {
 protected:
  struct Place {
    std::unique_ptr<WorkerProcess> worker;
    uint32_t progress = 0;
    int64_t moved = 0;
  };

  std::unique_ptr<WorkerProcess> start(const std::string& role, Arguments arguments = {}) {
    return std::make_unique<WorkerProcess>(role, arguments, settings_);
  }
  void fill(Place& place) {
    place = {start("graph-user", {std::to_string(random_())}), 0, now_ns()};
  }

  static bool has_ended(const WorkerProcess& worker) {
    siginfo_t info = {};
    return waitid(P_PID, static_cast<id_t>(worker.pid()), &info, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid != 0;
  }
  [[noreturn]] static void fail_of_hang(const WorkerProcess& worker) {
    worker.print_stacks();
    throw std::runtime_error("process " + std::to_string(worker.pid()) + " hangs");
  }
  void expect_end(WorkerProcess& worker) {
    for (const int64_t until = now_ns() + kStuck; !has_ended(worker);) {
      if (now_ns() > until) fail_of_hang(worker);
      sleep_until(now_ns() + kMillisecond);
    }
    if (const int status = worker.wait(); status != 0)
      throw std::runtime_error("a process ended with status " + std::to_string(status));
    ++ends_;
  }

  void look(Place& place) {
    if (has_ended(*place.worker)) {
      expect_end(*place.worker);
      return fill(place);
    }
    const int64_t now = now_ns();
    if (const uint32_t progress = place.worker->page().progress; progress != place.progress) {
      if (place.progress != 0) longest_ = std::max(longest_, now - place.moved);
      done_ += progress - place.progress;
      place.progress = progress;
      place.moved = now;
    }
    if (now - place.moved > kStuck) fail_of_hang(*place.worker);
  }

  // Throws std::runtime_error if something is wrong or stuck.
  void vandalize(uint32_t rounds) {
    auto vandal = start("graph-vandal", {std::to_string(random_()), segment_.name()});
    while (vandal->page().progress < rounds) {
      for (Place& place : places_) look(place);
      if (has_ended(*vandal)) throw std::runtime_error("the vandal has ended");
      if (has_ended(*bystander_)) throw std::runtime_error("the bystander has ended");
      sleep_until(now_ns() + 5 * kMillisecond);
    }
    vandal->page().stop = 1;
    if (vandal->wait() != 0) throw std::runtime_error("the vandal has failed");
    for (Place& place : places_) {
      place.worker->page().stop = 1;
      expect_end(*place.worker);
      place.worker.reset();
    }
  }

  std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  // For a newcomer all is as if nothing had been.
  void expect_order() {
    const auto newcomer = start("graphs");
    for (const std::string line : {"load", "graph pair primary", "reset", "run 20", "wait 20000"})
      ASSERT_EQ(ask(*newcomer, line), "0") << line;
    EXPECT_EQ(ask(*newcomer, "read pair.b.sum"), "= " + std::to_string(2000 * 1999 / 2));
    for (const std::string line : {"start sink:{sink_2} 0 1000", "start source:{source_2} 0 1000"})
      ASSERT_EQ(ask(*newcomer, line), "0") << line;
    EXPECT_EQ(ask(*newcomer, "finish 20000"), std::to_string(ERT_CMD_STATE_COMPLETED));
  }

  TemporarySegment segment_{".graphs"};
  const std::vector<std::string> settings_ = {segment_.setting(), "CONCLAVE_COMPUTE_UNITS=4"};
  std::mt19937 random_{std::random_device{}()};
  // Runs kernels without streams, and checks each result; it is told no error.
  std::unique_ptr<WorkerProcess> bystander_;
  std::array<Place, 4> places_;
  int64_t ends_ = 0, done_ = 0, longest_ = 0;
};

TEST_F(GraphHostile, VandalHarmsNobody) {
  const char* wanted = std::getenv("CONCLAVE_HOSTILE_ROUNDS");
  const int rounds = wanted ? std::atoi(wanted) : 600;
  ASSERT_GT(rounds, 0) << "CONCLAVE_HOSTILE_ROUNDS=" << wanted;
  const auto keeper = start("graphs");
  ASSERT_EQ(ask(*keeper, "load"), "0");
  bystander_ = start("honest", {"1", "3600000"});
  for (Place& place : places_) fill(place);
  ASSERT_NO_THROW(vandalize(static_cast<uint32_t>(rounds)));
  bystander_->page().stop = 1;
  EXPECT_EQ(bystander_->wait(), 0);
  std::printf("%d attacks; %ld processes ended; %ld things were done; the longest took %.2f s\n",
              rounds, ends_, done_, static_cast<double>(longest_) * 1e-9);
  EXPECT_GT(done_, 0);
  expect_order();
}

// The count of a parameter's writes may be anything, the last numbers before 0 among them.
TEST_F(GraphHostile, VersionsMayBeginAnywhere) {
  const auto driver = start("graphs");
  ASSERT_EQ(ask(*driver, "load"), "0");
  const auto xclbin = graph_xclbin();
  const auto segment = share::MeetingPlace(segment_.name()).find();
  ASSERT_TRUE(segment);
  const auto& graphs = xclbin->layout().graphs;
  const auto sync = std::find_if(graphs.begin(), graphs.end(),
                                 [](const auto& graph) { return graph.name == "sync"; });
  for (uint64_t version = UINT64_MAX - 4; version != 3; ++version) {
    for (size_t i = 0; i < sync->kernels[0].parameters.size(); ++i) {
      const size_t offset =
          xclbin->plan().parameter(static_cast<size_t>(sync - graphs.begin()), 0, i);
      reinterpret_cast<share::Parameter*>(segment->layout().graphs + offset)
          ->version.store(version);
    }
    for (const std::string line : {"graph sync primary", "run 3"})
      ASSERT_EQ(ask(*driver, line), "0") << line;
    for (int i = 1; i <= 3; ++i) {
      ASSERT_EQ(ask(*driver, "update sync.k.in " + std::to_string(i)), "0") << version;
      ASSERT_EQ(ask(*driver, "read sync.k.out"), "= " + std::to_string(2 * i)) << version;
    }
    for (const std::string line : {"wait 20000", "close"})
      ASSERT_EQ(ask(*driver, line), "0") << line;
  }
}

}  // namespace
}  // namespace conclave::test
