// SPDX-License-Identifier: Apache-2.0
// Processes that are stopped while they change the heaps, at each access to the tables (the code
// under test is compiled with stepping_atomic.h): others take the lock over and use the heaps, then
// the stopped process goes on. Nothing is lost, nothing has two owners.
#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "interrupted_child.h"

namespace conclave::share {
namespace {

constexpr HeapId kDdr1 = HeapId::kDdr1, kMsmc = HeapId::kMsmc;

// A process that runs `body`, and stops before each of its accesses `stops`.
class Stopping {
 public:
  Stopping(const std::vector<int>& stops, const std::function<void()>& body)
      : child_(start_interrupted_child(SIGSTOP, stops, body)) {
    wait();
  }
  ~Stopping() {
    while (stopped_) go_on();
  }
  bool stopped() const { return stopped_; }
  void go_on() {
    kill(child_, SIGCONT);
    wait();
  }

 private:
  void wait() {
    int status = 0;
    waitpid(child_, &status, WUNTRACED);
    stopped_ = WIFSTOPPED(status);
    if (!stopped_) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
  }

  const pid_t child_;
  bool stopped_ = false;
};

struct State : MixedHeaps {
  Blocks others;

  State() : MixedHeaps(60), others(blocks_of(heap, owner(1))) {}

  // What process 1 does while another one is stopped: uses entries and places again.
  void use() {
    const auto first = heap.allocate(kDdr1, 256, owner(1));
    const auto second = heap.allocate(kDdr1, 128, owner(1));
    heap.free(first, owner(1));
    others.emplace(second.address, second.size);
    ASSERT_EQ("", contradiction(segment.layout()));
    ASSERT_EQ(others, blocks_of(heap, owner(1)));
  }
};

struct Change {
  const char* name;
  std::function<void(State&)> make;
  // How many blocks process 0 has afterwards, beyond the five at first.
  int more;
  // Whether it is long, and stopping at every third access has to do.
  bool is_long = false;
};

const Change kChanges[] = {
    {"fills a hole", [](State& s) { s.heap.allocate(kDdr1, 256, owner(0)); }, 1},
    {"divides a free block", [](State& s) { s.heap.allocate(kDdr1, 128, owner(0)); }, 1},
    {"takes the rest", [](State& s) { s.heap.allocate(kDdr1, 1024, owner(0)); }, 1},
    {"allocates in msmc_heap", [](State& s) { s.heap.allocate(kMsmc, 512, owner(0)); }, 1},
    {"allocates global memory", [](State& s) { s.heap.allocate_global(32 << 10, owner(0)); }, 1},
    {"frees its first block", [](State& s) { s.heap.free(s.mine[0], owner(0)); }, -1},
    {"frees its third block", [](State& s) { s.heap.free(s.mine[2], owner(0)); }, -1},
    {"frees its last block", [](State& s) { s.heap.free(s.mine[4], owner(0)); }, -1},
    {"frees all", [](State& s) { s.heap.free_all(owner(0)); }, -5, true},
    {"heals", [](State& s) { s.heal(); }, 0, true},
};

// After all have come to their ends.
void expect_right(State& state, int more) {
  ASSERT_EQ("", contradiction(state.segment.layout()));
  ASSERT_EQ(state.others, blocks_of(state.heap, owner(1)));
  ASSERT_EQ(static_cast<size_t>(5 + more), blocks_of(state.heap, owner(0)).size());
  state.expect_all_usable();
}

class HeapStopTest : public testing::TestWithParam<Change> {};

INSTANTIATE_TEST_SUITE_P(, HeapStopTest, testing::ValuesIn(kChanges), [](const auto& change) {
  std::string name = change.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

// Once at each access.
TEST_P(HeapStopTest, AtEachAccess) {
  bool stopped = true;
  int n = 1;
  for (; stopped; n += GetParam().is_long ? 3 : 1) {
    SCOPED_TRACE("stopped before access " + std::to_string(n));
    State state;
    Stopping process({n}, [&] { GetParam().make(state); });
    stopped = process.stopped();
    if (stopped) {
      ASSERT_NO_FATAL_FAILURE(state.use());
      process.go_on();
    }
    ASSERT_NO_FATAL_FAILURE(expect_right(state, GetParam().more));
  }
  EXPECT_GT(n, 10) << "that is no test of anything";
}

// Again and again: each attempt after the first is interrupted, too.
TEST_P(HeapStopTest, AtManyAccesses) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::vector<int> stops;
    for (int at = 0; stops.size() < 6;) stops.push_back(at += 1 + static_cast<int>(random() % 60));
    SCOPED_TRACE("round " + std::to_string(round));
    State state;
    Stopping process(stops, [&] { GetParam().make(state); });
    while (process.stopped()) {
      ASSERT_NO_FATAL_FAILURE(state.use());
      process.go_on();
    }
    ASSERT_NO_FATAL_FAILURE(expect_right(state, GetParam().more));
  }
}

// The process that takes the lock over is stopped too, and they go on in either order.
TEST_P(HeapStopTest, OneAfterTheOther) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const int first = 1 + static_cast<int>(random() % 60),
              second = 1 + static_cast<int>(random() % 200);
    SCOPED_TRACE("stopped before accesses " + std::to_string(first) + " and " +
                 std::to_string(second));
    State state;
    Stopping one({first}, [&] { GetParam().make(state); });
    Stopping other({second}, [&] { state.heap.allocate(kMsmc, 256, owner(2)); });
    ASSERT_NO_FATAL_FAILURE(state.use());
    Stopping* order[] = {&one, &other};
    if (round % 2) std::swap(order[0], order[1]);
    for (Stopping* process : order) {
      while (process->stopped()) process->go_on();
      ASSERT_NO_FATAL_FAILURE(state.use());
    }
    ASSERT_EQ(1u, blocks_of(state.heap, owner(2)).size());
    state.heap.free_all(owner(2));
    ASSERT_NO_FATAL_FAILURE(expect_right(state, GetParam().more));
  }
}

}  // namespace
}  // namespace conclave::share
