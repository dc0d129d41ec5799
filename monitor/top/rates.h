// SPDX-License-Identifier: Apache-2.0
// What happens on the device per second: the difference of two snapshots.
#ifndef CONCLAVE_MONITOR_TOP_RATES_H_
#define CONCLAVE_MONITOR_TOP_RATES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "monitor/snapshot.h"

namespace conclave::monitor {

// The counters at one moment.
struct Sample {
  uint64_t at_ns = 0;  // CLOCK_MONOTONIC
  std::vector<ProcessUse> processes;
  std::vector<UnitUse> units;
  std::vector<HeapTotal> heaps;
};

// Processes that are dead, and the daemon, are left out.
Sample take_sample(const share::Segment& segment);

// The priority of the queues on which a process works (cl_khr_priority_hints), as its charges tell. A
// process with queues of several priorities has that of most of its time.
enum class Priority : uint8_t { kUnknown, kLow, kNormal, kHigh };
const char* name_of(Priority priority);  // "" if it is unknown

struct ProcessRates {
  ProcessUse use;
  double busy = 0;                       // 1: one compute unit all the time
  double waiting = 0;                    // 1: one command all the time
  double launches = 0, work_groups = 0;  // per second
  std::vector<uint32_t> on_units;        // holds now, or is a guest there
  Priority priority = Priority::kUnknown;
};

struct UnitRates {
  UnitUse use;
  double busy = 0;        // 0 to 1
  double hand_overs = 0;  // per second
};

struct Rates {
  double seconds = 0;
  std::vector<ProcessRates> processes;
  std::vector<UnitRates> units;
  std::vector<HeapTotal> heaps;
};

// What happened between two samples. A segment may hold anything, so no rate is negative, and a
// compute unit is busy for at most all of the time.
Rates rates_between(const Sample& before, const Sample& after);

// What the last intervals were like, compute unit by compute unit. Gives each process a number for
// its colour and letter, which it keeps.
class History {
 public:
  static constexpr size_t kMostMoments = 120;
  struct Moment {
    double busy = 0;
    uint32_t pid = 0;  // of the holder at the end of the interval
  };

  void add(const Rates& rates);
  // The latest one last.
  const std::deque<Moment>& of(uint32_t unit) const;
  // From 0 on, in the order in which processes came.
  uint32_t number_of(uint32_t pid) const;

 private:
  std::map<uint32_t, std::deque<Moment>> units_;
  std::map<uint32_t, uint32_t> numbers_;
  uint32_t next_number_ = 0;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TOP_RATES_H_
