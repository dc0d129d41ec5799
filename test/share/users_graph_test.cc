// SPDX-License-Identifier: Apache-2.0
// Graphs and streams of several users, and the daemon between them, which may end, stop, or find
// garbage. What holds for one user and for several is in stream_test.cc.
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "platform/share/daemon_client.h"
#include "platform/share/graph_area.h"
#include "platform/share/graph_part.h"
#include "stream_fixture.h"
#include "test/common/temporary_directory.h"
#include "vandal.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

class GraphsOfUsers : public StreamTest {
 protected:
  void SetUp() override { be_users(); }

  // Clock ticks of CPU time that the daemon has used.
  long daemon_ticks() const {
    std::ifstream file("/proc/" + std::to_string(daemon_->pid()) + "/stat");
    const std::vector<std::string> words{std::istream_iterator<std::string>(file), {}};
    return std::stol(words.at(13)) + std::stol(words.at(14));
  }
  void expect_idle_daemon() const {
    std::this_thread::sleep_for(100ms);
    const long before = daemon_ticks();
    std::this_thread::sleep_for(1s);
    EXPECT_LE(daemon_ticks() - before, 2) << "hundredths of a second within one";
  }
  // Memory that nobody else has, as they have the segments and the program.
  size_t daemons_own_kib() const {
    std::ifstream status("/proc/" + std::to_string(daemon_->pid()) + "/status");
    size_t kib = 0;
    for (std::string word; status >> word;)
      if (word == "RssAnon:") status >> kib;
    EXPECT_GT(kib, 0u);
    return kib;
  }
  // A process of a user who has a place for what remains of the segment without a daemon.
  WorkerProcess& user_at_home(uid_t user, const TemporaryDirectory& home) {
    EXPECT_EQ(chown(home.path().c_str(), user, user), 0);
    return process({segment_.setting(), "CONCLAVE_TEST_UID=" + std::to_string(user),
                    "XDG_RUNTIME_DIR=" + home.path()});
  }
  // Whether the daemon has an end of a stream in this user's segment.
  bool daemon_has_end(const WorkerProcess& worker) const {
    const std::unique_ptr<share::Segment> segment = segment_of(worker);
    const share::Layout& layout = segment->layout();
    const uint32_t daemon = layout.header().daemon.load();
    const auto& header = *reinterpret_cast<const share::GraphHeader*>(layout.graphs);
    for (const auto& word : header.parts) {
      const share::GraphPart part = share::GraphPart::of(word.load());
      if (part.kind != share::GraphPart::Kind::kStream) continue;
      const auto& stream = *reinterpret_cast<const share::Stream*>(layout.graphs + part.offset);
      if (stream.written.owner.load() == daemon || stream.read.owner.load() == daemon) return true;
    }
    return false;
  }
  // A transfer of 80 MB, which is on its way when this returns.
  void begin_transfer(WorkerProcess& writer, WorkerProcess& reader,
                      const std::string& start = "start") const {
    step(reader, start + " leaves:{leaves_1}" + kPages);
    step(writer, start + " pages:{pages_1}" + kPages);
    for (const WorkerProcess* worker : {&writer, &reader}) {
      const auto limit = std::chrono::steady_clock::now() + 30s;
      while (!daemon_has_end(*worker) && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(1ms);
    }
  }
  static void end_transfer(WorkerProcess& writer, WorkerProcess& reader) {
    step(reader, "finish 60000", kCompleted);
    step(writer, "finish 60000", kCompleted);
    step(reader, "check" + kPages);
  }
  static inline const std::string kPages = " 0 20000";
  std::unique_ptr<share::Segment> segment_of(const WorkerProcess& worker) const {
    struct stat status;
    EXPECT_EQ(stat(("/proc/" + std::to_string(worker.pid())).c_str(), &status), 0);
    return share::look_at_daemon(segment_.name(), status.st_uid);
  }
};

TEST_F(GraphsOfUsers, BothDirectionsAtOnce) {
  WorkerProcess &a = process(), &b = process();
  for (const std::string numbers : {" 5 1000", " 0 200000", " 7 100000"}) {
    step(a, "start source:{source_1}" + numbers);
    step(b, "clstart source:{source_2}" + numbers);
    step(a, "clstart sink:{sink_2}" + numbers);
    WorkerProcess& graph = process();
    step(graph, "graph through primary");
    step(graph, "run 0");
    step(b, "start sink:{sink_1}" + numbers);
    step(a, "clfinish", "0");
    step(a, "check" + numbers);
    step(a, "finish 60000", kCompleted);
    step(b, "finish 60000", kCompleted);
    step(b, "clfinish", "0");
    step(graph, "close");
  }
}

// The next reader, of whichever user, finds everything that has not been read.
TEST_F(GraphsOfUsers, ReadersOfSeveralUsersOneAfterTheOther) {
  WorkerProcess& writer = process();
  step(writer, "start source:{source_2} 0 30000");
  for (int first = 0; first < 30'000; first += 5'000) {
    WorkerProcess& reader = first % 10'000 ? writer : process();
    const std::string numbers = " " + std::to_string(first) + " 5000";
    step(reader, "clstart sink:{sink_2}" + numbers);
    step(reader, "clfinish", "0");
    step(reader, "check" + numbers);
  }
  step(writer, "finish 60000", kCompleted);
}

TEST_F(GraphsOfUsers, ValuesOfALargeParameterAreWhole) {
  WorkerProcess &driver = process(), &viewer = process();
  step(driver, "graph sizes primary");
  step(viewer, "graph sizes shared");
  step(driver, "reset");
  step(driver, "run 0");
  step(driver, "fill sizes.k.many 65536 1");
  for (int i = 2; i < 100; ++i) {
    step(driver, "fill sizes.k.many 65536 " + std::to_string(i % 50));
    step(viewer, "filled sizes.k.many 65536", "= " + std::to_string(i % 50));
  }
  step(driver, "end 0");
}

// A user who may not look does not get the values: the graph is another one's alone.
TEST_F(GraphsOfUsers, NobodyLooksAtAnExclusiveGraph) {
  WorkerProcess &driver = process(), &other = process();
  step(other, "graph gr[1] shared");
  step(driver, "graph gr[0] exclusive");
  step(driver, "reset");
  step(driver, "update gr[0].k.n 4711");
  const auto segment = segment_of(other);
  auto& graphs = *reinterpret_cast<share::GraphHeader*>(segment->layout().graphs);
  for (share::Atomic<uint64_t>& word : graphs.wanted) word.store(UINT64_MAX);
  step(other, "read gr[1].k.n", "= 0");
  step(driver, "close");
  step(other, "close");
  // Before it asks, nothing has changed for it.
  for (const share::Atomic<uint64_t>& word : graphs.parts) {
    const share::GraphPart part = share::GraphPart::of(word.load());
    if (part.kind != share::GraphPart::Kind::kParameter || part.graph != 0) continue;
    const auto* bytes = segment->layout().graphs + part.offset + sizeof(share::Parameter);
    for (size_t i = 0; i < part.bytes; ++i) EXPECT_EQ(bytes[i], std::byte{0});
  }
  step(other, "graph gr[0] shared");
  step(other, "read gr[0].k.n", "= 4711");
}

// --- The daemon ---

TEST_F(GraphsOfUsers, TheDaemonIsIdleWhileNothingMoves) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers have memory and threads of their own";
#endif
  WorkerProcess &writer = process(), &reader = process(), &lonely = process();
  step(writer, "start source:{source_2} 0 100000");
  step(reader, "start sink:{sink_2} 0 50000");
  step(reader, "finish 60000", kCompleted);
  step(lonely, "start sink:{sink_1} 0 10");
  expect_idle_daemon();
  step(reader, "start sink:{sink_2} 50000 100000");
  step(writer, "finish 60000", kCompleted);
  expect_idle_daemon();
  EXPECT_LT(daemon_->resident_kib(), 5u << 10);
}

TEST_F(GraphsOfUsers, TheDaemonStaysSmallWithManyUsers) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers have memory and threads of their own";
#endif
  for (int i = 0; i < 64; ++i) step(process(), "graph gr[1] shared");
  transfer(workers_.front(), "source:{source_2}", workers_.back(), "sink:{sink_2}", 0, 100'000);
  expect_idle_daemon();
  EXPECT_LT(daemons_own_kib(), 5u << 10);
}

TEST_F(GraphsOfUsers, TheDaemonStops) {
  WorkerProcess &writer = process(), &reader = process();
  begin_transfer(writer, reader);
  ASSERT_EQ(::kill(daemon_->pid(), SIGSTOP), 0);
  step(reader, "finish 300", kTimeout);
  expect_idle(reader);
  expect_idle(writer);
  ASSERT_EQ(::kill(daemon_->pid(), SIGCONT), 0);
  end_transfer(writer, reader);
}

TEST_F(GraphsOfUsers, TheDaemonIsKilled) {
  WorkerProcess &writer = process(), &reader = process();
  begin_transfer(writer, reader, "clstart");
  ASSERT_EQ(::kill(daemon_->pid(), SIGKILL), 0);
  step(reader, "clfinish", kBroken);
  step(writer, "clfinish", kBroken);
  // Within a user all is as before.
  step(writer, "start sink:{sink_2} 3 100");
  step(writer, "clstart source:{source_2} 3 100");
  step(writer, "clfinish", "0");
  step(writer, "finish 60000", kCompleted);
  step(writer, "check 3 100");
}

// Who waits goes on when there is a daemon again, and nothing is lost.
TEST_F(GraphsOfUsers, TheDaemonIsStartedAgain) {
  const TemporaryDirectory homes[2];
  WorkerProcess &writer = user_at_home(61'000, homes[0]), &reader = user_at_home(61'001, homes[1]);
  begin_transfer(writer, reader);
  daemon_.reset();
  step(reader, "finish 100", kTimeout);
  start_daemon();
  for (WorkerProcess* worker : {&writer, &reader})
    step(*worker, "context");  // with which the daemon gets the segment again
  end_transfer(writer, reader);
}

// A user whose memory of graphs is overwritten again and again harms no stream of others.
TEST_F(GraphsOfUsers, Garbage) {
  WorkerProcess &hostile = process(), &partner = process(), &a = process(), &b = process();
  const auto segment = segment_of(hostile);
  std::atomic<bool> over{false};
  std::thread vandal([&] {
    Vandal vandal(1, {static_cast<uint32_t>(hostile.pid()), static_cast<uint32_t>(a.pid())});
    while (!over.load()) vandal.attack_graphs(segment->layout());
  });
  // One end of a stream is in the memory that is overwritten, the other one is not.
  step(partner, "start leaves:{leaves_1} 0 100000");
  ask(hostile, "start pages:{pages_1} 0 100000");
  for (int round = 0; round < 10; ++round) {
    transfer(a, "source:{source_2}", b, "sink:{sink_2}", round, 100'000);
    transfer(b, "triples:{triples_1}", a, "apart:{apart_1}", round, 10'000);
    ask(partner, "finish 20");
    ask(partner, "start leaves:{leaves_1} 0 100000");
    ask(hostile, "start pages:{pages_1} 0 100000");
    ASSERT_FALSE(daemon_->has_ended());
  }
  kill(hostile);
  kill(partner);
  over.store(true);
  vandal.join();
  transfer(a, "source:{source_2}", b, "sink:{sink_2}", 1, 100'000);
  expect_idle_daemon();
}

}  // namespace
}  // namespace conclave::test
