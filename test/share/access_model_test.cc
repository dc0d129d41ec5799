// SPDX-License-Identifier: Apache-2.0
// Random sequences of what six processes do with the array and the graphs of two xclbins, and of
// their deaths, compared step by step with a model of the rules: docs/access-modes.md, written down
// here once more as a list of who has opened what. CONCLAVE_ACCESS_SEQUENCES says how many,
// CONCLAVE_ACCESS_SEED which one is the first.
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "platform/share/access_modes.h"
#include "test/unit/share/test_segment.h"

namespace conclave::share {
namespace {

constexpr int kProcesses = 6;
constexpr int kGraphs = 3;
constexpr char kModes[] = "XPS";

struct Step {
  enum Verb { kOpenArray, kCloseArray, kOpenGraph, kCloseGraph, kLoad, kKill, kKillAtWork, kReset };
  Verb verb;
  int process = 0;
  int mode = 0;        // index into kModes
  int graph = 0;       // number
  int xclbin = 0;      // 1 or 2
  Verb work = kReset;  // of kKillAtWork

  std::string text() const {
    static const char* const kVerbs[] = {"opens the array",    "closes the array", "opens graph",
                                         "closes graph",       "loads xclbin",     "is killed",
                                         "is killed while it", "closes all"};
    std::ostringstream text;
    text << "process " << process << ' ' << kVerbs[verb];
    if (verb == kKillAtWork) text << ' ' << kVerbs[work];
    text << " (mode " << kModes[mode] << ", graph " << graph << ", xclbin " << xclbin << ")";
    return text.str();
  }
};

// --- The model ---

class Model {
 public:
  // The errno that the step ends with, 0: none. Changes the model accordingly.
  int apply(const Step& step) {
    const int p = step.process;
    const char mode = kModes[step.mode];
    switch (step.verb) {
      case Step::kOpenArray:
        return open_array(p, mode);
      case Step::kCloseArray:
        return close_array(p, mode);
      case Step::kOpenGraph:
        return open_graph(p, step.xclbin, step.graph, mode);
      case Step::kCloseGraph:
        return close_graph(p, step.graph);
      case Step::kLoad:
        return load(p, step.xclbin);
      default:
        std::erase_if(arrays_, [&](const Array& open) { return open.process == p; });
        std::erase_if(graphs_, [&](const Graph& open) { return open.process == p; });
        if (step.verb != Step::kReset && p == loader_) loader_ = -1;
        return 0;
    }
  }

  // "PS-X": the strongest mode of the array and of each graph.
  std::string modes_of(int p) const {
    std::string text(1 + kGraphs, '-');
    for (char mode : {'S', 'P', 'X'})
      for (const Array& open : arrays_)
        if (open.process == p && open.mode == mode) text[0] = mode;
    for (const Graph& open : graphs_)
      if (open.process == p) text[1 + open.graph] = open.mode;
    return text;
  }

 private:
  struct Array {
    int process;
    char mode;
  };
  struct Graph {
    int process, graph;
    char mode;
  };

  int open_array(int p, char mode) {
    for (const Array& open : arrays_) {
      if (open.mode == 'X') return EBUSY;
      if (open.mode == 'P' && (mode == 'X' || mode == 'P')) return EBUSY;
      if (open.mode == 'S' && mode == 'X') return EBUSY;
    }
    arrays_.push_back({p, mode});
    return 0;
  }
  int close_array(int p, char mode) {
    const auto open = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& one) {
      return one.process == p && one.mode == mode;
    });
    if (open == arrays_.end()) return EINVAL;
    const auto opens = std::count_if(arrays_.begin(), arrays_.end(),
                                     [&](const Array& one) { return one.process == p; });
    const bool graphs = std::any_of(graphs_.begin(), graphs_.end(),
                                    [&](const Graph& one) { return one.process == p; });
    if (opens == 1 && graphs) return EBUSY;
    arrays_.erase(open);
    return 0;
  }
  int open_graph(int p, int xclbin, int graph, char mode) {
    if (xclbin != loaded_) return EINVAL;
    for (const Graph& open : graphs_)
      if (open.graph == graph && open.process == p) return EINVAL;
    for (const Graph& open : graphs_) {
      if (open.graph != graph) continue;
      if (open.mode == 'X') return EBUSY;
      if (mode == 'X') return EBUSY;
      if (open.mode == 'P' && mode == 'P') return EBUSY;
    }
    graphs_.push_back({p, graph, mode});
    return 0;
  }
  int close_graph(int p, int graph) {
    return std::erase_if(
               graphs_, [&](const Graph& open) { return open.process == p && open.graph == graph; })
               ? 0
               : EINVAL;
  }
  int load(int p, int xclbin) {
    bool shared = false, more = false, owner = false;
    for (const Array& open : arrays_) {
      if (open.process == p) (open.mode == 'S' ? shared : more) = true;
      if (open.process != p && open.mode == 'P' && open.process == loader_) owner = true;
    }
    if (xclbin != loaded_) {
      if (shared && !more && owner) return EPERM;
      if (!graphs_.empty()) return EBUSY;
      loader_ = p;
    }
    if (more) loader_ = p;
    loaded_ = xclbin;
    return 0;
  }

  std::vector<Array> arrays_;
  std::vector<Graph> graphs_;
  int loaded_ = 1;
  int loader_ = 0;  // the process that has loaded it, or its owner that has done so again
};

// --- The processes ---

XclbinSlot::Description xclbin_number(int number) {
  XclbinSlot::Description xclbin;
  xclbin.uuid.fill(static_cast<uint8_t>(number));
  return xclbin;
}

// What a process has, and does, in the shared segment.
class Member {
 public:
  explicit Member(const Layout& layout)
      : self_(Registry(layout).enter()), slot_(layout, self_), modes_(layout, self_) {}

  int apply(const Step& step) {
    try {
      act(step);
      return 0;
    } catch (const Error& error) {
      return error.error_number() ? error.error_number() : -1;
    }
  }

 private:
  void act(const Step& step) {
    const auto mode = static_cast<AccessMode>(step.mode);
    const auto graph = static_cast<uint32_t>(step.graph);
    const XclbinSlot::Description xclbin = xclbin_number(step.xclbin);
    switch (step.verb) {
      case Step::kOpenArray:
        return modes_.open_array(mode);
      case Step::kCloseArray:
        return modes_.close_array(mode);
      case Step::kOpenGraph:
        return modes_.open_graph(xclbin.uuid, graph, "gr[" + std::to_string(graph) + "]", mode);
      case Step::kCloseGraph:
        return modes_.close_graph(graph);
      case Step::kLoad:
        modes_.require_may_load(xclbin.uuid);
        slot_.load(xclbin);
        modes_.note_load(xclbin.uuid);
        return;
      default:
        return reset();
    }
  }
  void reset() {
    const OpenModes mine = modes_.mine();
    for (uint32_t graph = 0; graph < kGraphs; ++graph)
      if (mine.strongest(graph)) modes_.close_graph(graph);
    for (int mode = 0; mode < 3; ++mode)
      while (modes_.mine().strongest(kArray)) {
        const OpenModes before = modes_.mine();
        for (int i = 0; i < 100; ++i) modes_.drop_array(static_cast<AccessMode>(mode));
        if (modes_.mine() == before) break;
      }
  }

  const Owner self_;
  XclbinSlot slot_;
  AccessModes modes_;
};

// One of them, as the test sees it: a child that does what comes through a pipe.
class Process {
 public:
  explicit Process(const Layout& layout) : layout_(layout) { start(); }
  ~Process() { kill_it(); }
  Process(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(const Step& step) const {
    if (write(to_[1], &step, sizeof step) != ssize_t{sizeof step}) ADD_FAILURE() << "no process";
  }
  int answer() const {
    int error = -2;
    if (read(from_[0], &error, sizeof error) != ssize_t{sizeof error}) return -3;
    return error;
  }
  void restart() {
    kill_it();
    start();
  }

 private:
  void start() {
    if (pipe(to_) != 0 || pipe(from_) != 0) ADD_FAILURE() << "no pipe";
    pid_ = start_child(
        [this] {
          prctl(PR_SET_PDEATHSIG, SIGKILL);
          Member member(layout_);
          for (;;) {
            const int ready = 0;
            Step step;
            if (!entered_ && write(from_[1], &ready, sizeof ready) < 0) _exit(1);
            entered_ = true;
            if (read(to_[0], &step, sizeof step) != ssize_t{sizeof step}) _exit(1);
            const int error = member.apply(step);
            if (write(from_[1], &error, sizeof error) < 0) _exit(1);
          }
        },
        3600);
    EXPECT_EQ(answer(), 0);
  }
  void kill_it() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (int descriptor : {to_[0], to_[1], from_[0], from_[1]}) close(descriptor);
  }

  const Layout& layout_;
  pid_t pid_ = 0;
  int to_[2], from_[2];
  bool entered_ = false;
};

uint32_t setting(const char* name, uint32_t otherwise) {
  const char* value = std::getenv(name);
  return value ? static_cast<uint32_t>(std::stoul(value)) : otherwise;
}

class AccessModel : public testing::Test {
 protected:
  AccessModel() {
    for (uint32_t slot = 0; slot < 16; ++slot) layout().process(slot).state.store(0);
    for (int p = 0; p < kProcesses; ++p) processes_.push_back(std::make_unique<Process>(layout()));
  }
  const Layout& layout() const { return segment_.layout(); }

  Step random_step(std::mt19937& random) const {
    Step step;
    step.process = static_cast<int>(random() % kProcesses);
    step.mode = static_cast<int>(random() % 3);
    step.graph = static_cast<int>(random() % kGraphs);
    const uint32_t kind = random() % 100;
    step.verb = kind < 25   ? Step::kOpenArray
                : kind < 42 ? Step::kCloseArray
                : kind < 67 ? Step::kOpenGraph
                : kind < 87 ? Step::kCloseGraph
                : kind < 97 ? Step::kLoad
                : kind < 98 ? Step::kKill
                            : Step::kKillAtWork;
    // Graphs are mostly looked for where they are. Loads often want what somebody may refuse.
    step.xclbin = random() % (step.verb == Step::kLoad ? 2 : 8) ? 1 : 2;
    // A load that is cut off may have come to its end or not.
    if (step.verb == Step::kKillAtWork) step.work = static_cast<Step::Verb>(random() % Step::kLoad);
    return step;
  }

  // The errno of the real thing.
  int act(const Step& step) {
    Process& process = *processes_[static_cast<size_t>(step.process)];
    if (step.verb == Step::kKillAtWork) {
      Step work = step;
      work.verb = step.work;
      process.send(work);
    }
    if (step.verb == Step::kKill || step.verb == Step::kKillAtWork) {
      process.restart();
      return 0;
    }
    process.send(step);
    return process.answer();
  }

  // The same text as Model::modes_of(), from the table.
  std::string modes_of(int p) const {
    std::string text(1 + kGraphs, '-');
    const pid_t pid = processes_[static_cast<size_t>(p)]->pid();
    const Registry registry(layout());
    for (const AccessModes::Holder& holder : AccessModes(layout(), Owner()).report()) {
      if (registry.identity(holder.owner).pid != pid) continue;
      const auto letter = [&](uint32_t thing) {
        const auto mode = holder.modes.strongest(thing);
        return mode ? kModes[static_cast<int>(*mode)] : '-';
      };
      text[0] = letter(kArray);
      for (uint32_t graph = 0; graph < kGraphs; ++graph) text[1 + graph] = letter(graph);
    }
    return text;
  }

  TestSegment segment_;
  std::vector<std::unique_ptr<Process>> processes_;
};

TEST_F(AccessModel, SequencesEndAsTheRulesSay) {
  const uint32_t sequences = setting("CONCLAVE_ACCESS_SEQUENCES", 500);
  const uint32_t first = setting("CONCLAVE_ACCESS_SEED", 1);
  ASSERT_GT(sequences, 0u);
  std::map<int, uint64_t> results;
  uint64_t deaths = 0;
  for (uint32_t seed = first; seed < first + sequences; ++seed) {
    std::mt19937 random(seed);
    Model model;
    std::string story = "sequence " + std::to_string(seed);
    for (int p = 0; p < kProcesses; ++p) ASSERT_EQ(act({Step::kReset, p}), 0) << story;
    for (int xclbin : {2, 1}) ASSERT_EQ(act({Step::kLoad, 0, 0, 0, xclbin}), 0) << story;
    for (uint32_t left = 10 + random() % 50; left > 0; --left) {
      const Step step = random_step(random);
      story += "\n  " + step.text();
      const int expected = model.apply(step), found = act(step);
      story += ": " + std::to_string(found);
      ASSERT_EQ(found, expected) << story;
      ++results[found];
      deaths += step.verb == Step::kKill || step.verb == Step::kKillAtWork;
      for (int p = 0; p < kProcesses; ++p) ASSERT_EQ(modes_of(p), model.modes_of(p)) << story;
    }
  }
  std::printf("%u sequences, %llu deaths;", sequences, static_cast<unsigned long long>(deaths));
  for (const auto& [error, count] : results)
    std::printf(" %s: %llu", error ? strerrorname_np(error) : "success",
                static_cast<unsigned long long>(count));
  std::printf("\n");
  if (sequences < 100) return;
  for (int error : {0, EBUSY, EINVAL, EPERM}) EXPECT_GT(results[error], sequences / 50) << error;
  EXPECT_GT(deaths, sequences / 10);
}

}  // namespace
}  // namespace conclave::share
