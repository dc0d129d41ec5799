// SPDX-License-Identifier: Apache-2.0
// A process that records for `conclave trace` may be stopped or killed at each access to the word
// that asks for records, and to the ring that it writes them to (the code is compiled with
// stepping_atomic.h). The others go on recording, and the tool sees only whole records.
#include <sys/mman.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "interrupted_child.h"
#include "monitor/trace/recording.h"
#include "platform/share/trace.h"

namespace conclave::share {
namespace {

using monitor::Recording;
using monitor::TracedProcess;

constexpr uint32_t kSession = 77;

// The same number is in all of it, so that a mixture is seen.
TraceRecord record_of(uint64_t number) {
  TraceRecord record;
  record.begin_ns = record.end_ns = record.queued_ns = record.submitted_ns = number;
  record.number = record.work_groups = number;
  record.kind = TraceRecord::kRun;
  record.type = record.flags = static_cast<uint32_t>(number);
  record.set_name(("kernel " + std::to_string(number)).c_str());
  return record;
}
bool is_whole(const TraceRecord& record) {
  const uint64_t n = record.number;
  return record.begin_ns == n && record.end_ns == n && record.queued_ns == n &&
         record.submitted_ns == n && record.work_groups == n && record.type == n &&
         record.flags == n && record.kind == TraceRecord::kRun && record.unit == 0 &&
         record.name == "kernel " + std::to_string(n);
}

class SharedRing {
 public:
  SharedRing()
      : ring_(static_cast<TraceRing*>(mmap(nullptr, kTraceBytes, PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~SharedRing() { munmap(ring_, kTraceBytes); }
  SharedRing(const SharedRing&) = delete;

  TraceRing* operator->() const { return ring_; }
  // How many records can be read at these places; each must be whole.
  int readable(uint64_t places) const {
    int count = 0;
    for (uint64_t place = 0; place < places; ++place) {
      const std::optional<TraceRecord> record = ring_->read(place);
      if (!record) continue;
      EXPECT_TRUE(is_whole(*record)) << "place " << place;
      ++count;
    }
    return count;
  }

 private:
  TraceRing* ring_;
};

TEST(TraceRingAccess, AWriterThatStopsKeepsNobodyBack) {
  for (int n = 1;; ++n) {
    const SharedRing ring;
    ring->write(record_of(1));
    const pid_t child = start_interrupted_child(SIGSTOP, {n}, [&] { ring->write(record_of(2)); });
    const bool stopped = stops(child);
    // Another thread of it, for the ring.
    ring->write(record_of(3));
    ring->write(record_of(4));
    EXPECT_EQ(ring.readable(4), stopped ? 3 : 4) << "stopped at access " << n;
    if (!stopped) {
      EXPECT_EQ(n, 1 + 1 + static_cast<int>(kTraceWords) + 1 + 1) << "the place, the sequence "
                                                                     "twice, the words";
      break;
    }
    let_go_on(child);
    EXPECT_EQ(ring.readable(4), 4) << "went on at access " << n;
  }
}

// It finds the newest record over the one that it was about to write.
TEST(TraceRingAccess, AWriterThatComesARoundLateIsSeen) {
  for (int n = 2;; ++n) {
    const SharedRing ring;
    const pid_t child = start_interrupted_child(SIGSTOP, {n}, [&] { ring->write(record_of(1)); });
    const bool stopped = stops(child);
    for (uint64_t i = 0; i < kTraceSlots; ++i) ring->write(record_of(2));
    if (!stopped) break;
    let_go_on(child);
    // Two threads in one slot may mix; then the sequence is of the one that came last, and only the
    // place that it names can be read. A mixture is garbage that the tool checks like any other.
    EXPECT_EQ(ring->next.load(), kTraceSlots + 1);
    int readable = 0;
    for (uint64_t place = 1; place < kTraceSlots; ++place) {
      const std::optional<TraceRecord> record = ring->read(place);
      readable += record && is_whole(*record);
    }
    EXPECT_EQ(readable, static_cast<int>(kTraceSlots) - 1) << "stopped at access " << n;
  }
}

// Processes of a segment, and a tool that records them.
class TraceWord : public testing::Test {
 protected:
  TraceWord() {
    char name[] = "/tmp/conclave-trace-XXXXXX";
    directory_ = mkdtemp(name);
    chmod(name, 0700);
    setenv("XDG_RUNTIME_DIR", name, 1);
    unsetenv(trace::kVariable);
    recording_ = std::make_unique<Recording>(trace::socket_of(kSession));
    header().trace.store(kSession);
  }
  ~TraceWord() override {
    recording_.reset();
    std::filesystem::remove_all(directory_);
    munmap(header_, sizeof(Header));
  }

  Header& header() { return *header_; }
  void record(uint64_t number) {
    trace::follow(header());
    trace::record(record_of(number));
  }
  // The records of these processes together, each of which must be whole.
  static int count(const std::vector<TracedProcess>& processes, uint64_t number) {
    int found = 0;
    for (const TracedProcess& process : processes)
      for (const TraceRecord& record : process.records) {
        EXPECT_TRUE(is_whole(record));
        found += record.number == number;
      }
    return found;
  }

  Header* const header_ = static_cast<Header*>(
      mmap(nullptr, sizeof(Header), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::string directory_;
  std::unique_ptr<Recording> recording_;
};

// Also while it connects, makes its ring, and hands it over.
TEST_F(TraceWord, AProcessThatStopsKeepsNobodyBack) {
  int stops_seen = 0;
  for (int n = 1;; ++n) {
    recording_ = nullptr;
    recording_ = std::make_unique<Recording>(trace::socket_of(kSession));
    const pid_t child = start_interrupted_child(SIGSTOP, {n}, [&] { record(1); });
    const bool stopped = stops(child);
    recording_->collect(0);
    EXPECT_EQ(run_child([&] { record(2); }), 0);
    recording_->collect(0);
    EXPECT_EQ(header().trace.load(), kSession) << "stopped at access " << n;
    if (stopped) let_go_on(child);
    recording_->collect(0);
    recording_->stop();
    const auto processes = recording_->take();
    EXPECT_EQ(count(processes, 1), 1) << "stopped at access " << n;
    EXPECT_EQ(count(processes, 2), 1) << "stopped at access " << n;
    if (!stopped) break;
    ++stops_seen;
  }
  EXPECT_GT(stops_seen, 20) << "the word, the ring's texts, the record";
}

TEST_F(TraceWord, AProcessThatDiesKeepsNobodyBack) {
  for (int n = 1;; ++n) {
    recording_ = nullptr;
    recording_ = std::make_unique<Recording>(trace::socket_of(kSession));
    const bool killed =
        was_killed(wait_for(start_interrupted_child(SIGKILL, {n}, [&] { record(1); })));
    EXPECT_EQ(run_child([&] { record(2); }), 0);
    recording_->collect(0);
    recording_->stop();
    const auto processes = recording_->take();
    EXPECT_EQ(count(processes, 2), 1) << "killed at access " << n;
    EXPECT_EQ(count(processes, 1), killed ? 0 : 1) << "killed at access " << n;
    if (!killed) break;
  }
}

// The threads of a process share its ring: what one thread leaves unfinished when the process dies
// takes nothing from another one.
TEST_F(TraceWord, AnUnfinishedRecordHidesNoLaterOne) {
  static int left;
  constexpr int kDied = 33;
  for (int n = 1;; ++n) {
    recording_ = nullptr;
    recording_ = std::make_unique<Recording>(trace::socket_of(kSession));
    const int status = run_child([&] {
      record(1);
      left = n;
      step_hook = [] {
        if (--left > 0) return;
        step_hook = nullptr;
        trace::record(record_of(3));
        _exit(kDied);
      };
      record(2);
      step_hook = nullptr;
    });
    const bool whole = status != kDied;
    recording_->collect(0);
    recording_->stop();
    const auto processes = recording_->take();
    EXPECT_EQ(count(processes, 1), 1) << "at access " << n;
    EXPECT_EQ(count(processes, 2), whole ? 1 : 0) << "at access " << n;
    EXPECT_EQ(count(processes, 3), whole ? 0 : 1) << "at access " << n;
    if (whole) {
      EXPECT_GT(n, static_cast<int>(kTraceWords));
      break;
    }
  }
}

// A word that a killed tool has left is cleared by one process, however many look, and wherever one
// of them stops.
TEST_F(TraceWord, IsClearedWhereNobodyListens) {
  recording_ = nullptr;
  for (int n = 1;; ++n) {
    header().trace.store(kSession);
    const pid_t child = start_interrupted_child(SIGSTOP, {n}, [&] { record(1); });
    const bool stopped = stops(child);
    EXPECT_EQ(run_child([&] { record(2); }), 0);
    EXPECT_EQ(header().trace.load(), 0u) << "stopped at access " << n;
    // Another tool asks meanwhile: the late process does not switch it off.
    header().trace.store(kSession + 1);
    if (!stopped) break;
    let_go_on(child);
    EXPECT_TRUE(header().trace.load() == kSession + 1 || n == 1) << "stopped at access " << n;
  }
}

}  // namespace
}  // namespace conclave::share
