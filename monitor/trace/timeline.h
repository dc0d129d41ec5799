// SPDX-License-Identifier: Apache-2.0
// A recording in the order in which things happened: lanes for compute units and processes.
#ifndef CONCLAVE_MONITOR_TRACE_TIMELINE_H_
#define CONCLAVE_MONITOR_TRACE_TIMELINE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitor/trace/recording.h"

namespace conclave::monitor {

// Something that took time. `process` is an index into the timeline's processes.
struct Slice {
  static constexpr uint32_t kNobody = ~0u;

  share::TraceRecord record;
  uint32_t process = 0;
  std::vector<uint32_t> units;    // of a command
  uint32_t waited_for = kNobody;  // of a wait: who had the compute unit for most of the time
  bool has_times = false;         // of a command: all four, as CL_QUEUE_PROFILING has them
};

// The same compute unit went from one process to another.
struct HandOver {
  uint64_t at_ns = 0;
  uint32_t from = 0, to = 0;  // processes
};

// One after the other.
using Lane = std::vector<Slice>;

struct UnitLanes {
  Lane runs;
  std::vector<Lane> guests;  // processes that ran beside the holder
  std::vector<HandOver> hand_overs;
};

struct ProcessLanes {
  uint32_t pid = 0;
  std::string name, command;
  uint64_t lost = 0;
  std::vector<Lane> commands, waits, builds;
  Lane faults;  // moments
};

struct Timeline {
  uint64_t begin_ns = 0, end_ns = 0;
  std::map<uint32_t, UnitLanes> units;
  std::vector<ProcessLanes> processes;
};

Timeline make_timeline(const std::vector<TracedProcess>& recorded);

// What to call it: the kernel's name, else what kind of command it is.
std::string title_of(const Slice& slice);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TRACE_TIMELINE_H_
