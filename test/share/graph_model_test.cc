// SPDX-License-Identifier: Apache-2.0
// Random sequences of what six processes do with the array and two graphs, and of their deaths,
// compared step by step with a model of the rules: docs/graphs.md and docs/access-modes.md, written
// down here once more. CONCLAVE_GRAPH_SEQUENCES says how many, CONCLAVE_GRAPH_SEED which one is the
// first.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "graph_roles.h"

namespace conclave::test {
namespace {

constexpr int kProcesses = 6;
constexpr int kGraphs = 2;
constexpr int kStepsOfSequence = 40;

enum class Mode { kExclusive, kPrimary, kShared };
constexpr std::array kModeNames = {"exclusive", "primary", "shared"};
enum class State { kReset, kRunning, kStopped, kSuspended, kEnded };

// --- The model ---

// The parameter n of a graph, as far as it can be known: `base`, or more by any multiple of `unit`,
// a power of two; `unit` 0: `base` itself.
struct Count {
  uint32_t base = 0, unit = 0;

  void may_grow_by(uint32_t step) {
    if (step && (!unit || step < unit)) unit = step;
  }
  bool may_be(uint32_t value) const { return unit ? (value - base) % unit == 0 : value == base; }
};

class Model {
 public:
  int open_array(int p, Mode mode) {
    for (const auto& [process, open] : arrays_) {
      if (open == Mode::kExclusive || mode == Mode::kExclusive) return EBUSY;
      if (open == Mode::kPrimary && mode == Mode::kPrimary) return EBUSY;
    }
    arrays_.push_back({p, mode});
    return 0;
  }
  void close_arrays(int p) {
    std::erase_if(arrays_, [&](const auto& open) { return open.first == p; });
  }

  // A process has one graph at most: the next one takes its place.
  int open_graph(int p, int graph, Mode mode) {
    const auto mine = opens_.find(p);
    if (mine != opens_.end() && mine->second.graph == graph) return EINVAL;
    for (const auto& [process, open] : opens_) {
      if (open.graph != graph) continue;
      if (open.mode == Mode::kExclusive || mode == Mode::kExclusive) return EBUSY;
      if (open.mode == Mode::kPrimary && mode == Mode::kPrimary) return EBUSY;
    }
    close_graph(p);
    opens_[p] = {graph, mode};
    if (mode != Mode::kShared) graphs_[graph].state = State::kReset;
    return 0;
  }
  void close_graph(int p) {
    if (drives(p)) graph_of(p).state = State::kEnded;
    opens_.erase(p);
  }

  bool has_graph(int p) const { return opens_.contains(p); }
  int graph_number(int p) const { return opens_.at(p).graph; }
  bool drives(int p) const { return has_graph(p) && opens_.at(p).mode != Mode::kShared; }

  // 0: without end. Iterations of another number are waited for.
  int run(int p, uint32_t iterations) {
    if (const int error = change(p, {State::kReset, State::kStopped})) return error;
    Graph& graph = graph_of(p);
    graph.state = iterations ? State::kStopped : State::kRunning;
    if (iterations)
      graph.n.base += iterations * graph.step;
    else
      graph.n.may_grow_by(graph.step);
    return 0;
  }
  // For a moment, as long as that takes on a graph that has stopped.
  int wait(int p) {
    if (const int error = change(p, {State::kRunning, State::kStopped})) return error;
    return graph_of(p).state == State::kRunning ? ETIME : 0;
  }
  int wait_for_cycles(int p) {
    if (const int error = change(p, {State::kRunning, State::kStopped})) return error;
    if (graph_of(p).state == State::kRunning) graph_of(p).state = State::kSuspended;
    return 0;
  }
  int suspend(int p) { return change(p, {State::kRunning}, State::kSuspended); }
  int resume(int p) { return change(p, {State::kSuspended}, State::kRunning); }
  int end(int p) { return change(p, {State::kRunning, State::kStopped}, State::kEnded); }
  int end_after_cycles(int p) {
    return change(p, {State::kRunning, State::kSuspended}, State::kEnded);
  }
  int reset(int p) {
    const int error = change(p, {State::kReset, State::kStopped, State::kEnded}, State::kReset);
    if (!error) graph_of(p).n = {}, graph_of(p).step = 0;
    return error;
  }
  int update_n(int p, uint32_t value) {
    if (const int error = change(p)) return error;
    Graph& graph = graph_of(p);
    graph.n = {value, runs(graph) ? graph.step : 0};
    return 0;
  }
  int update_step(int p, uint32_t value) {
    if (const int error = change(p)) return error;
    Graph& graph = graph_of(p);
    graph.step = value;
    if (runs(graph)) graph.n.may_grow_by(value);
    return 0;
  }
  // Whether a process that has the graph may read this.
  bool may_read(int p, uint32_t value) {
    Graph& graph = graph_of(p);
    if (!graph.n.may_be(value)) return false;
    if (!runs(graph)) graph.n = {value, 0};
    return true;
  }
  std::string expectation(int p) {
    const Count& n = graph_of(p).n;
    return std::to_string(n.base) + " and any times " + std::to_string(n.unit);
  }

 private:
  struct Graph {
    State state = State::kReset;
    Count n;
    uint32_t step = 0;
  };
  struct Open {
    int graph;
    Mode mode;
  };

  Graph& graph_of(int p) { return graphs_[static_cast<size_t>(opens_.at(p).graph)]; }
  static bool runs(const Graph& graph) {
    return graph.state == State::kRunning || graph.state == State::kSuspended;
  }
  // What changes a graph is refused to some, and in some states.
  int change(int p) const {
    if (!has_graph(p)) return EINVAL;
    return drives(p) ? 0 : EPERM;
  }
  int change(int p, std::initializer_list<State> permitted) {
    if (const int error = change(p)) return error;
    const bool ok =
        std::find(permitted.begin(), permitted.end(), graph_of(p).state) != permitted.end();
    return ok ? 0 : EINVAL;
  }
  int change(int p, std::initializer_list<State> permitted, State then) {
    const int error = change(p, permitted);
    if (!error) graph_of(p).state = then;
    return error;
  }

  std::vector<std::pair<int, Mode>> arrays_;
  std::map<int, Open> opens_;  // by process
  std::array<Graph, kGraphs> graphs_;
};

// --- The processes ---

uint32_t setting(const char* name, uint32_t otherwise) {
  const char* value = std::getenv(name);
  return value ? static_cast<uint32_t>(std::stoul(value)) : otherwise;
}

class GraphModel : public testing::Test {
 protected:
  GraphModel() {
    // The segment lives as long as somebody uses it.
    ask(holder_, "load");
    for (int p = 0; p < kProcesses; ++p) start(p);
  }

  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  WorkerProcess& process(int p) { return *processes_[static_cast<size_t>(p)]; }
  void start(int p) {
    processes_[static_cast<size_t>(p)] = std::make_unique<WorkerProcess>("graphs", Arguments{});
    ASSERT_EQ(ask(process(p), "load"), "0");
  }
  // The next random number below `n`.
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  // Often one that drives a graph: it has most to do.
  int any_process() {
    const int p = below(kProcesses);
    for (int i = 0; i < kProcesses; ++i)
      if (const int other = (p + i) % kProcesses; below(2) && model_.drives(other)) return other;
    return p;
  }
  Mode any_mode() { return static_cast<Mode>(below(3)); }
  // Mostly that which the process has.
  int any_graph(int p) {
    return model_.has_graph(p) && below(4) ? model_.graph_number(p) : below(2);
  }
  static std::string name(int graph) { return "gr[" + std::to_string(graph) + "]"; }
  static std::string name(Mode mode) { return kModeNames[static_cast<size_t>(mode)]; }

  void step(int p, const std::string& line, int error) {
    story_ += "\n" + std::to_string(p) + ": " + line + " -> " + std::to_string(error);
    ASSERT_EQ(ask(process(p), line), std::to_string(error)) << story_;
    ++results_[error];
  }

  void random_step(int p) {
    switch (below(20)) {
      case 0:
      case 1:
        return use_array(p);
      case 2:
      case 3:
      case 4:
      case 5: {
        const int graph = any_graph(p);
        const Mode mode = any_mode();
        return step(p, "graph " + name(graph) + " " + name(mode),
                    model_.open_graph(p, graph, mode));
      }
      case 6:
        model_.close_graph(p);
        return step(p, "close", 0);
      case 7:
        return run(p);
      case 8:
        return step(p, "run 0", model_.run(p, 0));
      case 9:
        return below(2) ? step(p, "wait 1", model_.wait(p))
                        : step(p, "cycles 1000", model_.wait_for_cycles(p));
      case 10:
        return step(p, "suspend", model_.suspend(p));
      case 11:
        return step(p, "resume", model_.resume(p));
      case 12:
        return below(2) ? step(p, "end 0", model_.end(p))
                        : step(p, "end 1000", model_.end_after_cycles(p));
      case 13:
        return step(p, "reset", model_.reset(p));
      case 14:
      case 15:
        return update(p);
      case 19:
        if (below(6) == 0) return kill(p);
        [[fallthrough]];
      default:
        return read(p);
    }
  }

  void use_array(int p) {
    if (below(3) == 0) {
      model_.close_arrays(p);
      return step(p, "noarray", 0);
    }
    const Mode mode = any_mode();
    step(p, "array " + name(mode), model_.open_array(p, mode));
  }

  void run(int p) {
    const int iterations = 1 + below(5);
    const int error = model_.run(p, static_cast<uint32_t>(iterations));
    step(p, "run " + std::to_string(iterations), error);
    if (!error && !HasFatalFailure()) step(p, "wait 0", 0);
  }

  void update(int p) {
    const std::string port = name(any_graph(p)) + ".k.";
    const std::string verb = below(2) ? "update " : "update_nb ";
    const bool known = !model_.has_graph(p) || port.starts_with(name(model_.graph_number(p)));
    if (!known) return step(p, verb + port + "n 1", model_.drives(p) ? EINVAL : EPERM);
    if (below(2)) {
      const int value = below(1000);
      return step(p, verb + port + "n " + std::to_string(value),
                  model_.update_n(p, static_cast<uint32_t>(value)));
    }
    const int value = below(2) ? 1 << below(10) : 0;
    step(p, verb + port + "step " + std::to_string(value),
         model_.update_step(p, static_cast<uint32_t>(value)));
  }

  void read(int p) {
    const std::string verb = below(2) ? "read " : "read_nb ";
    if (!model_.has_graph(p)) return step(p, verb + "gr[0].k.n", EINVAL);
    const std::string line = verb + name(model_.graph_number(p)) + ".k.n";
    const std::string answer = ask(process(p), line);
    story_ += "\n" + std::to_string(p) + ": " + line + " " + answer;
    ASSERT_EQ(answer.substr(0, 2), "= ") << story_;
    ASSERT_TRUE(model_.may_read(p, static_cast<uint32_t>(std::stoi(answer.substr(2)))))
        << "not " << model_.expectation(p) << story_;
    ++results_[0];
  }

  // At rest, or at one of the steps that change who has what.
  void kill(int p) {
    const std::vector<std::string> work = {
        "graph gr[0] primary", "array shared", "close", "suspend", "resume", "end 0"};
    if (below(2)) {
      const std::string& line = work[static_cast<size_t>(below(static_cast<int>(work.size())))];
      process(p).send(line);
      story_ += "\n" + std::to_string(p) + ": " + line;
    }
    story_ += "\n" + std::to_string(p) + ": is killed";
    process(p).signal(SIGKILL);
    process(p).wait();
    model_.close_graph(p);
    model_.close_arrays(p);
    ++deaths_;
    start(p);
  }

  // What the next sequence begins with.
  void begin_sequence(uint32_t seed) {
    random_.seed(seed);
    story_ = "\nsequence " + std::to_string(seed);
    model_ = Model();
    for (int p = 0; p < kProcesses; ++p) {
      step(p, "noarray", 0);
      if (!HasFatalFailure()) step(p, "close", 0);
      if (HasFatalFailure()) return;
    }
    for (int graph = 0; graph < kGraphs; ++graph)
      for (const std::string& line :
           {"graph " + name(graph) + " primary", std::string("reset"), std::string("close")}) {
        step(0, line, 0);
        if (HasFatalFailure()) return;
      }
  }

  WorkerProcess holder_{"graphs", {}};
  std::array<std::unique_ptr<WorkerProcess>, kProcesses> processes_;
  Model model_;
  std::mt19937 random_;
  std::string story_;
  std::map<int, uint64_t> results_;
  uint64_t deaths_ = 0;
};

TEST_F(GraphModel, RandomSequences) {
  const uint32_t sequences = setting("CONCLAVE_GRAPH_SEQUENCES", 600);
  const uint32_t first = setting("CONCLAVE_GRAPH_SEED", 1);
  ASSERT_GT(sequences, 0u);
  for (uint32_t seed = first; seed < first + sequences; ++seed) {
    begin_sequence(seed);
    for (int left = kStepsOfSequence; left > 0 && !HasFatalFailure(); --left)
      random_step(any_process());
    if (HasFatalFailure()) return;
  }
  std::printf("%u sequences, %llu deaths;", sequences, static_cast<unsigned long long>(deaths_));
  for (const auto& [error, count] : results_)
    std::printf(" %s: %llu", error ? strerrorname_np(error) : "success",
                static_cast<unsigned long long>(count));
  std::printf("\n");
  if (sequences < 100) return;
  for (int error : {0, EBUSY, EINVAL, EPERM, ETIME})
    EXPECT_GT(results_[error], sequences / 50) << error;
  EXPECT_GT(deaths_, sequences / 50);
}

}  // namespace
}  // namespace conclave::test
