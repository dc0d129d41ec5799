// SPDX-License-Identifier: Apache-2.0
// Streams between kernels of several processes, and graphs that several processes have open: of one
// user, or each of another one.
#include <CL/cl_ext_conclave.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "stream_fixture.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

// The parameter: whether each process is another user's.
class Streams : public StreamTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) be_users();
  }
};
INSTANTIATE_TEST_SUITE_P(, Streams, testing::Bool(), [](const auto& users) {
  return std::string(users.param ? "OfUsers" : "OfOneUser");
});

TEST_P(Streams, OrderDoesNotMatter) {
  WorkerProcess &a = process(), &b = process();
  for (const bool writer_first : {true, false}) {
    for (const std::string kind : {"", "cl"}) {
      const std::string end = kind.empty() ? "finish 60000" : "clfinish";
      const std::string done = kind.empty() ? kCompleted : std::to_string(CL_COMPLETE);
      if (writer_first) step(a, kind + "start source:{source_2} 5 100000");
      step(b, kind + "start sink:{sink_2} 5 100000");
      if (!writer_first) step(a, kind + "start source:{source_2} 5 100000");
      step(a, end, done);
      step(b, end, done);
      step(b, "check 5 100000");
    }
  }
}

// What fits into the buffer can be written before anybody reads, even by somebody who leaves.
TEST_P(Streams, BuffersKeepWhatIsIn) {
  WorkerProcess &a = process(), &b = process();
  step(a, "start source:{source_2} 0 1000");
  step(a, "finish 10000", kCompleted);
  a.send("leave");
  EXPECT_EQ(a.wait(), 0);
  step(b, "start sink:{sink_2} 0 1000");
  step(b, "finish 10000", kCompleted);
  step(b, "check 0 1000");
}

TEST_P(Streams, GraphInAThirdProcess) {
  WorkerProcess &source = process(), &graph = process(), &sink = process();
  step(graph, "graph through primary");
  step(graph, "update through.k.value 1000");
  std::vector<int> order = {0, 1, 2};
  do {
    for (const int which : order) {
      if (which == 0) step(source, "start source:{source_1} 7 30000");
      if (which == 1) step(graph, "run 30000");
      if (which == 2) step(sink, "start sink:{sink_1} 7 30000");
    }
    step(source, "finish 60000", kCompleted);
    step(graph, "wait 60000");
    step(sink, "finish 60000", kCompleted);
    step(sink, "check 1007 30000");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_P(Streams, WaitingCostsNoTime) {
  WorkerProcess &writer = process(), &reader = process(), &graph = process();
  step(writer, "start source:{source_2} 0 100000");
  step(writer, "finish 100", kTimeout);
  expect_idle(writer);
  step(reader, "start sink:{sink_1} 0 1000");
  expect_idle(reader);
  step(graph, "graph through primary");
  step(graph, "run 1000");
  expect_idle(graph);
  step(graph, "wait 20", errno_text(ETIME));
  // A second kernel for an end that is taken waits, too.
  WorkerProcess& second = process();
  step(second, "start source:{source_2} 0 100");
  expect_idle(second);
}

TEST_P(Streams, BackPressure) {
  WorkerProcess &writer = process(), &reader = process();
  step(writer, "start source:{source_2} 0 100000");
  step(writer, "finish 100", kTimeout);
  step(reader, "start sink:{sink_2} 0 50000");
  step(reader, "finish 60000", kCompleted);
  step(reader, "check 0 50000");
  step(writer, "finish 100", kTimeout);
  step(reader, "start sink:{sink_2} 0 50000");
  step(reader, "finish 60000", kCompleted);
  step(writer, "finish 60000", kCompleted);
  step(reader, "check 50000 50000");
}

TEST_P(Streams, PacketsThatDoNotDivideTheBuffer) {
  WorkerProcess &a = process(), &b = process();
  for (int round = 0; round < 3; ++round)
    transfer(a, "triples:{triples_1}", b, "apart:{apart_1}", round, 10'000 + round);
}

TEST_P(Streams, LargePackets) {
  WorkerProcess &a = process(), &b = process();
  for (int round = 0; round < 3; ++round)
    transfer(a, "pages:{pages_1}", b, "leaves:{leaves_1}", round, 1001);
}

TEST_P(Streams, PacketsLargerThanTheBuffer) {
  WorkerProcess &a = process(), &b = process();
  step(a, "clstart pages:{pages_2} 0 1");
  step(a, "clfinish", kBroken);
  step(b, "start leaves:{leaves_2} 0 1");
  step(b, "finish 10000", kFailed);
}

// --- Deaths ---

TEST_P(Streams, DeathOfTheWriter) {
  expect_replaced("source:{source_2}", "sink:{sink_2}");
}

TEST_P(Streams, DeathOfTheReader) {
  expect_replaced("sink:{sink_2}", "source:{source_2}");
}

// A writer that comes at once does not hide the death of the former one.
TEST_P(Streams, DeathBeforeTheNextWriter) {
  WorkerProcess &reader = process(), &next = process();
  for (int round = 0; round < 5; ++round) {
    WorkerProcess& writer = process();
    begin(writer, "source:{source_2}", kMany);
    step(reader, "clstart sink:{sink_2} 0 " + std::to_string(kMany));
    stop(writer);
    step(next, "start source:{source_2} 3 1000");
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * round));
    kill(writer);
    step(reader, "clfinish", kBroken);
    step(next, "finish 10000", kCompleted);
    step(reader, "clstart sink:{sink_2} 3 1000");
    step(reader, "clfinish", "0");
    step(reader, "check 3 1000");
  }
}

TEST_P(Streams, DeathOfAGraphsNeighbours) {
  WorkerProcess& graph = process();
  step(graph, "graph through primary");
  for (const bool kills_source : {true, false, true}) {
    WorkerProcess &source = process(), &sink = process();
    step(graph, "reset");
    step(graph, "run 10000000");
    if (kills_source) {
      begin(source, "source:{source_1}", kMany);
      step(sink, "clstart sink:{sink_1} 0 " + std::to_string(kMany));
    } else {
      begin(sink, "sink:{sink_1}", kMany);
      step(source, "clstart source:{source_1} 0 " + std::to_string(kMany));
    }
    stop(kills_source ? source : sink);
    kill(kills_source ? source : sink);
    step(graph, "wait 30000", errno_text(EIO));
    step(graph, "run 1", errno_text(EIO));
    kill(kills_source ? sink : source);
  }
  step(graph, "reset");
  WorkerProcess &source = process(), &sink = process();
  step(graph, "run 1000");
  step(sink, "start sink:{sink_1} 0 1000");
  step(source, "start source:{source_1} 0 1000");
  step(sink, "finish 10000", kCompleted);
  step(graph, "wait 10000");
}

// It waits in the middle of an iteration, for a reader.
TEST_F(StreamTest, EndOfAGraphThatNobodyServes) {
  WorkerProcess &source = process(), &graph = process(), &sink = process();
  step(graph, "graph through primary");
  step(source, "start source:{source_1} 0 20000");
  step(graph, "run 0");
  step(source, "finish 10000", kCompleted);
  step(graph, "wait 1000", errno_text(ETIME));
  step(graph, "end 0");
  step(graph, "run 1", errno_text(EINVAL));
  // The data that it has sent is there.
  step(sink, "start sink:{sink_1} 0 16384");
  step(sink, "finish 10000", kCompleted);
  step(sink, "check 0 16384");
}

TEST_P(Streams, DeathOfTheGraph) {
  WorkerProcess &source = process(), &sink = process();
  for (int round = 0; round < 3; ++round) {
    WorkerProcess& graph = process();
    step(graph, "graph through primary");
    step(graph, "update through.k.value " + std::to_string(round));
    step(graph, "run 0");
    step(graph, "wait 50", errno_text(ETIME));
    step(sink, "clstart sink:{sink_1} 0 " + std::to_string(kMany));
    step(source, "clstart source:{source_1} 0 " + std::to_string(kMany));
    stop(graph);
    kill(graph);
    step(sink, "clfinish", kBroken);
    step(source, "clfinish", kBroken);
  }
  WorkerProcess& graph = process();
  step(graph, "graph through primary");
  step(graph, "update through.k.value 10");
  step(graph, "run 1000");
  step(source, "clstart source:{source_1} 0 1000");
  step(sink, "clstart sink:{sink_1} 0 1000");
  step(sink, "clfinish", "0");
  step(sink, "check 10 1000");
}

TEST_P(Streams, StoppedProcessesGoOn) {
  WorkerProcess &writer = process(), &reader = process();
  for (WorkerProcess* stopped : {&writer, &reader}) {
    WorkerProcess& other = stopped == &writer ? reader : writer;
    step(reader, "start sink:{sink_2} 0 " + std::to_string(kMany));
    step(writer, "start source:{source_2} 0 " + std::to_string(kMany));
    stopped->signal(SIGSTOP);
    step(other, "finish 200", kTimeout);
    expect_idle(other);
    stopped->signal(SIGCONT);
    step(writer, "finish 60000", kCompleted);
    step(reader, "finish 60000", kCompleted);
    step(reader, "check 0 " + std::to_string(kMany));
  }
}

// --- One end, several kernels ---

TEST_F(StreamTest, SecondWriterWaitsForTheFirst) {
  WorkerProcess &first = process(), &second = process(), &reader = process();
  step(first, "start source:{source_2} 0 50000");
  step(first, "finish 50", kTimeout);  // it has the end
  step(second, "start source:{source_2} 50000 1000");
  step(second, "finish 200", kTimeout);
  step(reader, "start sink:{sink_2} 0 51000");
  step(first, "finish 10000", kCompleted);
  step(second, "finish 10000", kCompleted);
  step(reader, "finish 10000", kCompleted);
  step(reader, "check 0 51000");
}

TEST_F(StreamTest, SecondReaderWaitsForTheFirst) {
  WorkerProcess &first = process(), &second = process(), &writer = process();
  step(first, "start sink:{sink_2} 0 1000");
  step(first, "finish 50", kTimeout);
  step(second, "start sink:{sink_2} 0 500");
  step(second, "finish 50", kTimeout);
  step(writer, "start source:{source_2} 0 1500");
  step(first, "finish 10000", kCompleted);
  step(second, "finish 10000", kCompleted);
  step(first, "check 0 1000");
  step(second, "check 1000 500");
}

// --- One compute unit for all ---

TEST_F(StreamTest, OneComputeUnit) {
  const TemporarySegment segment(".one");
  const std::vector<std::string> settings = {"CONCLAVE_COMPUTE_UNITS=1", segment.setting()};
  const std::string load = "load " + one_unit_xclbin_file();
  WorkerProcess &source = process(settings, load), &graph = process(settings, load),
                &sink = process(settings, load);
  step(graph, "graph through primary");
  step(sink, "start sink:{sink_1} 0 20000");
  step(graph, "run 20000");
  step(source, "start source:{source_1} 0 20000");
  step(sink, "finish 60000", kCompleted);
  step(graph, "wait 60000");
  step(sink, "check 0 20000");
  transfer(source, "triples:{triples_1}", sink, "apart:{apart_1}", 0, 5000);
  // And for all kernels of one process.
  step(graph, "clstart sink:{sink_1} 0 20000");
  step(graph, "run 20000");
  step(graph, "start source:{source_1} 0 20000");
  step(graph, "clfinish", "0");
  step(graph, "wait 60000");
  step(graph, "check 0 20000");
}

// --- Ends of processes ---

TEST_P(Streams, ProcessesEndWhileTheirKernelsWait) {
  for (const char* start : {"start sink:{sink_2} 0 10", "clstart sink:{sink_2} 0 10",
                            "start source:{source_2} 0 100000", "graph"}) {
    WorkerProcess& worker = process();
    if (start == std::string("graph")) {
      step(worker, "graph through primary");
      step(worker, "run 5");
    } else {
      step(worker, start);
    }
    std::this_thread::sleep_for(20ms);
    worker.send("leave");
    EXPECT_EQ(worker.wait(10), 0) << start;
  }
  WorkerProcess &a = process(), &b = process();
  transfer(a, "source:{source_2}", b, "sink:{sink_2}", 0, 1000);
}

// --- Who may do what ---

TEST_P(Streams, SharedModeMayLook) {
  WorkerProcess &driver = process(), &viewer = process();
  step(viewer, "graph gr[0] shared");
  step(viewer, "read gr[0].k.n", "= 0");
  step(driver, "graph gr[0] primary");
  step(driver, "reset");
  step(driver, "update gr[0].k.step 1");
  step(driver, "run 0");
  int former = 0;
  for (int i = 0; i < 1'000'000 && (i < 1000 || former < 1000); ++i) {
    const std::string answer = ask(viewer, "read gr[0].k.n");
    ASSERT_EQ(answer.substr(0, 2), "= ");
    const int now = std::stoi(answer.substr(2));
    ASSERT_GE(now, former);
    former = now;
  }
  EXPECT_GT(former, 0);
  step(viewer, "timestamp");
  EXPECT_EQ(ask(viewer, "read_nb gr[0].k.n").substr(0, 2), "= ");
  const std::string refused = errno_text(EPERM);
  for (const char* operation :
       {"update gr[0].k.n 5", "update_nb gr[0].k.n 5", "update gr[0].k.step 5",
        "update_nb gr[0].k.step 5", "reset", "run 1", "run 0", "wait 1", "wait 0", "cycles 5",
        "cycles 0", "suspend", "resume", "end 0", "end 5"})
    step(viewer, operation, refused);
  step(viewer, "read gr[0].k.none", errno_text(EINVAL));
  step(driver, "end 0");
  const std::string last = ask(driver, "read gr[0].k.n");
  step(viewer, "read gr[0].k.n", last);
  for (const char* operation : {"reset", "run 1", "update gr[0].k.n 5"})
    step(viewer, operation, refused);
  step(driver, "close");
  step(viewer, "read gr[0].k.n", last);
  step(viewer, "reset", refused);
}

TEST_P(Streams, SharedModeMayNotTakeSynchronousValues) {
  WorkerProcess &driver = process(), &viewer = process();
  step(driver, "graph sync primary");
  step(viewer, "graph sync shared");
  step(driver, "reset");
  step(driver, "update sync.k.in 21");
  step(driver, "run 1");
  step(driver, "wait 10000");
  step(viewer, "read sync.k.out", "= 42");
  step(viewer, "read sync.k.out", "= 42");
  step(viewer, "update sync.k.in 1", errno_text(EPERM));
  step(driver, "read_nb sync.k.out", "= 42");
  step(driver, "read_nb sync.k.out", errno_text(EAGAIN));
}

TEST_P(Streams, PrimaryAndExclusiveModes) {
  WorkerProcess &driver = process(), &other = process();
  step(driver, "graph gr[0] exclusive");
  step(driver, "reset");
  step(driver, "update gr[0].k.step 2");
  step(driver, "run 10");
  step(driver, "wait 0");
  step(driver, "read gr[0].k.n", "= 20");
  for (const char* mode : {"exclusive", "primary", "shared"})
    step(other, std::string("graph gr[0] ") + mode, errno_text(EBUSY));
  step(other, "graph gr[1] primary");
  step(other, "run 1");
  step(driver, "load " + one_unit_xclbin_file(), errno_text(EBUSY));
  // The data of a process that dies can be read, and the next process begins again.
  step(driver, "run 0");
  kill(driver);
  WorkerProcess& next = process();
  for (int i = 0; i < 100 && ask(next, "graph gr[0] exclusive") != "0"; ++i)
    std::this_thread::sleep_for(20ms);
  const std::string answer = ask(next, "read gr[0].k.n");
  EXPECT_EQ(answer.substr(0, 2), "= ");
  EXPECT_EQ(std::stoi(answer.substr(2)) % 2, 0) << answer;
  step(next, "reset");
  step(next, "read gr[0].k.n", "= 0");
  step(next, "update gr[0].k.step 1");
  step(next, "run 3");
  step(next, "wait 10000");
  step(next, "read gr[0].k.n", "= 3");
}

}  // namespace
}  // namespace conclave::test
