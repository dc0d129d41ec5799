// SPDX-License-Identifier: Apache-2.0
// A graph in random sequences of steps of three processes, some of which are killed, compared with
// a model of the rules. CONCLAVE_GRAPH_SEQUENCES says how many.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "graph_roles.h"

namespace conclave::test {
namespace {

constexpr size_t kProcesses = 3;

class GraphModel : public testing::Test {
 protected:
  enum class Mode { kExclusive, kPrimary, kShared, kNone };
  enum class State { kReset, kStopped, kEnded };

  GraphModel() {
    // The segment lives as long as somebody uses it.
    ask(holder_, "load");
    for (size_t p = 0; p < kProcesses; ++p) start(p);
    ask(*processes_[0], "graph gr[0] primary");
    ask(*processes_[0], "reset");
    ask(*processes_[0], "close");
  }

  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  void start(size_t p) {
    processes_[p] = std::make_unique<WorkerProcess>("graphs", Arguments{});
    modes_[p] = Mode::kNone;
    ASSERT_EQ(ask(*processes_[p], "load"), "0");
  }
  void step(size_t p, const std::string& line, int error) {
    log_ += "\n" + std::to_string(p) + ": " + line;
    const std::string answer = ask(*processes_[p], line);
    ASSERT_EQ(answer, std::to_string(error)) << log_;
  }

  int error_of_open(size_t p, Mode mode) const {
    if (modes_[p] != Mode::kNone) return EINVAL;
    for (const Mode other : modes_) {
      if (other == Mode::kNone) continue;
      if (other == Mode::kExclusive || mode == Mode::kExclusive) return EBUSY;
      if (other == Mode::kPrimary && mode == Mode::kPrimary) return EBUSY;
    }
    return 0;
  }
  // Of an operation that changes the graph, where the states that permit it are given.
  int error_of_change(size_t p, bool state_permits) const {
    if (modes_[p] == Mode::kNone) return EINVAL;
    if (modes_[p] == Mode::kShared) return EPERM;
    return state_permits ? 0 : EINVAL;
  }

  void random_step(size_t p) {
    const auto below = [&](int n) {
      return static_cast<int>(random_() % static_cast<unsigned>(n));
    };
    WorkerProcess& process = *processes_[p];
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        constexpr const char* kModes[] = {"exclusive", "primary", "shared"};
        const int mode = below(3);
        const int error = error_of_open(p, Mode(mode));
        step(p, std::string("graph gr[0] ") + kModes[mode], error);
        if (error) return;
        modes_[p] = Mode(mode);
        if (Mode(mode) != Mode::kShared) state_ = State::kReset;
        return;
      }
      case 3:
        step(p, "close", 0);
        modes_[p] = Mode::kNone;
        return;
      case 4:
      case 5: {
        const int iterations = 1 + below(5);
        const int error = error_of_change(p, state_ != State::kEnded);
        step(p, "run " + std::to_string(iterations), error);
        if (error) return;
        step(p, "wait 0", 0);
        state_ = State::kStopped;
        n_ += iterations * step_;
        return;
      }
      case 6: {
        const int error = error_of_change(p, true);
        const int value = below(1000);
        const bool updates_step = below(2);
        step(p,
             std::string(below(2) ? "update" : "update_nb") + " gr[0].k." +
                 (updates_step ? "step " : "n ") + std::to_string(value),
             error);
        if (!error) (updates_step ? step_ : n_) = value;
        return;
      }
      case 7: {
        if (below(2)) {
          const int error = error_of_change(p, state_ == State::kStopped);
          step(p, "end 0", error);
          if (!error) state_ = State::kEnded;
          return;
        }
        const int error = error_of_change(p, true);
        step(p, "reset", error);
        if (error) return;
        state_ = State::kReset;
        n_ = step_ = 0;
        return;
      }
      case 8: {
        log_ += "\n" + std::to_string(p) + ": read";
        const std::string answer = ask(process, below(2) ? "read gr[0].k.n" : "read_nb gr[0].k.n");
        ASSERT_EQ(answer,
                  modes_[p] == Mode::kNone ? std::to_string(EINVAL) : "= " + std::to_string(n_))
            << log_;
        return;
      }
      default:
        if (below(8) == 0) kill(p, below(2));
    }
  }

  void kill(size_t p, bool while_running) {
    const bool drives = modes_[p] == Mode::kExclusive || modes_[p] == Mode::kPrimary;
    const bool runs = while_running && drives && state_ != State::kEnded;
    if (runs) step(p, "run 0", 0);
    log_ += "\n" + std::to_string(p) + ": killed";
    processes_[p]->signal(SIGKILL);
    processes_[p]->wait();
    start(p);
    if (!runs) return;
    // Some iterations have been, each of them wholly or not at all.
    size_t viewer = p;
    for (size_t other = 0; other < kProcesses; ++other)
      if (modes_[other] != Mode::kNone) viewer = other;
    if (viewer == p) step(p, "graph gr[0] shared", 0);
    const std::string answer = ask(*processes_[viewer], "read gr[0].k.n");
    if (viewer == p) step(p, "close", 0);
    ASSERT_EQ(answer.substr(0, 2), "= ") << log_;
    const int now = std::stoi(answer.substr(2));
    const auto more = static_cast<uint32_t>(now) - static_cast<uint32_t>(n_);
    ASSERT_EQ(step_ ? more % static_cast<uint32_t>(step_) : more, 0u) << answer << log_;
    n_ = now;
  }

  WorkerProcess holder_{"graphs", {}};
  std::array<std::unique_ptr<WorkerProcess>, kProcesses> processes_;
  std::array<Mode, kProcesses> modes_{};
  State state_ = State::kReset;
  int n_ = 0, step_ = 0;
  std::mt19937 random_{17};
  std::string log_;
};

TEST_F(GraphModel, RandomSequences) {
  const char* wanted = std::getenv("CONCLAVE_GRAPH_SEQUENCES");
  const int sequences = wanted ? std::atoi(wanted) : 300;
  ASSERT_GT(sequences, 0);
  for (int i = 0; i < sequences; ++i) {
    log_ = "\nsequence " + std::to_string(i) + ", n " + std::to_string(n_) + ", step " +
           std::to_string(step_);
    for (int k = 0; k < 30; ++k) {
      random_step(random_() % kProcesses);
      if (HasFatalFailure()) return;
    }
    for (size_t p = 0; p < kProcesses; ++p) {
      step(p, "close", 0);
      modes_[p] = Mode::kNone;
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace conclave::test
