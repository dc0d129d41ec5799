// SPDX-License-Identifier: Apache-2.0
// What conclave trace makes of the records of processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "monitor/trace/recording.h"
#include "monitor/trace/timeline.h"
#include "monitor/trace/trace_json.h"
#include "monitor/trace/trace_svg.h"
#include "platform/base/descriptor_message.h"
#include "test/common/temporary_directory.h"

namespace conclave::monitor {
namespace {

using nlohmann::json;
using share::TraceRecord;

TraceRecord record(TraceRecord::Kind kind, uint64_t begin, uint64_t end, uint64_t number,
                   uint32_t unit = 0, uint32_t flags = TraceRecord::kDeviceWork) {
  TraceRecord record;
  record.kind = kind;
  record.begin_ns = begin;
  record.end_ns = end;
  record.number = number;
  record.unit = unit;
  record.flags = flags;
  record.set_name("kernel");
  return record;
}

// Process 0 runs on compute unit 0 while process 1 waits for it, is its guest, and then has it.
std::vector<TracedProcess> two_processes() {
  return {
      {100,
       "first",
       "first --run",
       {record(TraceRecord::kRun, 1000, 5100, 1), record(TraceRecord::kRun, 1000, 2000, 1, 1)},
       0},
      {200,
       "second",
       "second",
       {record(TraceRecord::kWait, 2000, 5000, 1),
        record(TraceRecord::kRun, 3000, 3500, 9, 0, TraceRecord::kDeviceWork | TraceRecord::kGuest),
        record(TraceRecord::kRun, 5000, 6000, 1), record(TraceRecord::kCompile, 100, 900, 0)},
       3}};
}

std::string text_of(const Timeline& timeline, void (*write)(const Timeline&, FILE*)) {
  char* text = nullptr;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  write(timeline, file);
  fclose(file);
  const std::unique_ptr<char, void (*)(void*)> owner(text, free);
  return {text, size};
}

TEST(Timeline, OrdersWhatHappened) {
  const Timeline timeline = make_timeline(two_processes());
  EXPECT_EQ(timeline.begin_ns, 100u);
  EXPECT_EQ(timeline.end_ns, 6000u);
  const UnitLanes& unit = timeline.units.at(0);
  ASSERT_EQ(unit.runs.size(), 2u);
  EXPECT_EQ(unit.runs[0].record.end_ns, 5000u) << "a compute unit has one holder";
  ASSERT_EQ(unit.hand_overs.size(), 1u);
  EXPECT_EQ(unit.hand_overs[0].from, 0u);
  EXPECT_EQ(unit.hand_overs[0].to, 1u);
  ASSERT_EQ(unit.guests.size(), 1u);
  const ProcessLanes& first = timeline.processes.at(0);
  ASSERT_EQ(first.commands.size(), 1u);
  ASSERT_EQ(first.commands[0].size(), 1u) << "two compute units took part in one command";
  EXPECT_EQ(first.commands[0][0].units, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(first.commands[0][0].record.end_ns, 5100u);
  const ProcessLanes& second = timeline.processes.at(1);
  EXPECT_EQ(second.waits.at(0).at(0).waited_for, 0u);
  EXPECT_EQ(title_of(second.builds.at(0).at(0)), "compile");
}

TEST(Timeline, TakesTheTimesThatProgramsSee) {
  TraceRecord exact = record(TraceRecord::kCommand, 1010, 1990, 1);
  exact.queued_ns = 900;
  exact.submitted_ns = 950;
  for (const bool exact_first : {false, true}) {
    std::vector<TraceRecord> records = {record(TraceRecord::kRun, 1000, 2000, 1), exact};
    if (exact_first) std::swap(records[0], records[1]);
    const Timeline timeline = make_timeline({{1, "p", "p", records, 0}});
    const Slice& command = timeline.processes.at(0).commands.at(0).at(0);
    EXPECT_TRUE(command.has_times);
    EXPECT_EQ(command.record.begin_ns, 1010u);
    EXPECT_EQ(command.record.end_ns, 1990u);
    EXPECT_EQ(command.record.queued_ns, 900u);
    EXPECT_EQ(command.units, std::vector<uint32_t>{0});
  }
}

TEST(Timeline, CommandsAtTheSameTimeHaveLanesOfTheirOwn) {
  const Timeline timeline = make_timeline(
      {{1,
        "p",
        "p",
        {record(TraceRecord::kRun, 10, 30, 1, 0), record(TraceRecord::kRun, 20, 40, 2, 1),
         record(TraceRecord::kRun, 30, 50, 3, 0)},
        0}});
  EXPECT_EQ(timeline.processes.at(0).commands.size(), 2u);
}

TEST(TraceJson, HasALaneForEachComputeUnitAndProcess) {
  const json trace = json::parse(text_of(make_timeline(two_processes()), write_trace_json));
  std::set<std::string> names;
  std::map<std::string, int> categories;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["args"].contains("name")) names.insert(event["args"]["name"]);
    if (event.contains("cat")) ++categories[event["cat"]];
    if (event.value("cat", "") == "wait") {
      EXPECT_EQ(event["args"]["waited-for"], "first 100");
    }
    if (event.value("cat", "") == "command" && event["pid"] == 100) {
      EXPECT_EQ(event["ts"], 1.0);
      EXPECT_EQ(event["dur"], 4.1);
    }
  }
  for (const char* name : {"Compute units", "CU 0", "CU 1", "CU 0 guests", "first 100: first --run",
                           "second 200: second", "commands", "waiting", "builds"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_EQ(categories["run"], 3);
  EXPECT_EQ(categories["guest"], 1);
  EXPECT_EQ(categories["hand-over"], 3) << "the hand-over, and both ends of an arrow";
  EXPECT_EQ(trace["otherData"]["lost-records"]["200"], 3);
}

TEST(TraceJson, NothingHappened) {
  EXPECT_TRUE(json::accept(text_of(make_timeline({}), write_trace_json)));
  EXPECT_NE(text_of(make_timeline({}), write_trace_svg).find("</svg>"), std::string::npos);
}

TEST(TraceSvg, ItsSizeIsBounded) {
  std::vector<TracedProcess> processes = two_processes();
  processes[0].command = "<script>&";
  for (uint64_t i = 0; i < 200'000; ++i)
    processes[0].records.push_back(
        record(TraceRecord::kRun, 10'000 + 10 * i, 10'009 + 10 * i, 10 + i, 2));
  const std::string picture = text_of(make_timeline(processes), write_trace_svg);
  EXPECT_LT(picture.size(), 2'000'000u);
  EXPECT_EQ(picture.find("<script>"), std::string::npos);
  EXPECT_NE(picture.find("&lt;script&gt;&amp;"), std::string::npos);
}

TEST(TraceRing, KeepsTheLastRecords) {
  void* memory =
      mmap(nullptr, share::kTraceBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* ring = static_cast<share::TraceRing*>(memory);
  constexpr uint64_t kCount = share::kTraceSlots + 10;
  for (uint64_t i = 0; i < kCount; ++i) ring->write(record(TraceRecord::kRun, i + 1, i + 2, i));
  EXPECT_FALSE(ring->read(5)) << "overwritten";
  const auto last = ring->read(kCount - 1);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->number, kCount - 1);
  EXPECT_STREQ(last->name, "kernel");
  EXPECT_FALSE(ring->read(kCount)) << "not yet written";
  munmap(memory, share::kTraceBytes);
}

// A process that may send the tool anything.
class RecordingTest : public testing::Test {
 protected:
  Descriptor connect_to_tool() {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    recording_.path().copy(address.sun_path, sizeof address.sun_path - 1);
    Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  void send(const Descriptor& file) {
    const Descriptor socket = connect_to_tool();
    const uint64_t hello = share::kTraceMagic;
    send_message(socket.get(), &hello, sizeof hello, file ? file.get() : -1);
    recording_.collect(1000);
  }
  static Descriptor memory_file(size_t bytes, int seals) {
    Descriptor file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
    EXPECT_EQ(fcntl(file.get(), F_ADD_SEALS, seals), 0);
    return file;
  }
  share::TraceRing* map(const Descriptor& file) {
    void* memory =
        mmap(nullptr, share::kTraceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    EXPECT_NE(memory, MAP_FAILED);
    return static_cast<share::TraceRing*>(memory);
  }

  static constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const test::TemporaryDirectory directory_;
  Recording recording_{directory_.path() + "/socket"};
};

TEST_F(RecordingTest, ReadsWhatAProcessWrites) {
  const Descriptor file = memory_file(share::kTraceBytes, kSeals);
  share::TraceRing* ring = map(file);
  ring->name.set("writer");
  ring->write(record(TraceRecord::kRun, 1, 2, 1));
  send(file);
  ring->write(record(TraceRecord::kRun, 3, 4, 2));
  recording_.collect(0);
  recording_.stop();
  EXPECT_EQ(ring->stopped.load(), 1u);
  const auto processes = recording_.take();
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].pid, static_cast<uint32_t>(getpid())) << "as the kernel says";
  EXPECT_EQ(processes[0].name, "writer");
  EXPECT_EQ(processes[0].records.size(), 2u);
}

TEST_F(RecordingTest, RefusesFilesThatCanBeTakenAway) {
  send(memory_file(share::kTraceBytes, 0));
  send(memory_file(share::kTraceBytes, F_SEAL_GROW));
  send(memory_file(share::kTraceBytes - 1, kSeals));
  send(memory_file(4096, kSeals));
  send(Descriptor(open("/dev/zero", O_RDWR | O_CLOEXEC)));
  send(Descriptor());
  connect_to_tool();  // and says nothing
  recording_.collect(1000);
  EXPECT_TRUE(recording_.take().empty());
}

TEST_F(RecordingTest, SkipsRecordsThatMakeNoSense) {
  const Descriptor file = memory_file(share::kTraceBytes, kSeals);
  share::TraceRing* ring = map(file);
  TraceRecord wrong = record(TraceRecord::kRun, 5, 4, 1);
  ring->write(wrong);
  wrong = record(TraceRecord::kRun, 1, 2, 1, share::kCuEntries);
  ring->write(wrong);
  wrong = record(static_cast<TraceRecord::Kind>(99), 1, 2, 1);
  ring->write(wrong);
  TraceRecord named = record(TraceRecord::kRun, 1, 2, 7);
  std::memset(named.name, '\033', sizeof named.name);
  ring->write(named);
  send(file);
  for (const uint64_t next : {UINT64_MAX, uint64_t{0}, uint64_t{1} << 63}) {
    ring->next.store(next);
    recording_.collect(0);
  }
  const auto processes = recording_.take();
  ASSERT_EQ(processes.size(), 1u);
  ASSERT_EQ(processes[0].records.size(), 1u);
  EXPECT_EQ(processes[0].records[0].name[0], '?') << "no escape sequences in files";
  EXPECT_EQ(processes[0].records[0].name[sizeof named.name - 1], 0);
}

}  // namespace
}  // namespace conclave::monitor
