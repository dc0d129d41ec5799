// SPDX-License-Identifier: Apache-2.0
// What the segment counts, as text that Prometheus and its relatives read. It names no kernels and
// no command lines.
#ifndef CONCLAVE_MONITOR_METRICS_H_
#define CONCLAVE_MONITOR_METRICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/snapshot.h"

namespace conclave::monitor {

// Prometheus's text format 0.0.4, and OpenMetrics 1.0.
enum class MetricsFormat { kPrometheus, kOpenMetrics };

// The media type by which HTTP names the format.
const char* media_type(MetricsFormat format);

// The metrics of one segment.
class SegmentMetrics {
 public:
  // `share`: who shares it, such as "user-1000".
  SegmentMetrics(std::string share, const share::Segment& segment);

 private:
  friend class MetricsWriter;
  // A process can fill the table with entries, but not the memory of those who read.
  static constexpr size_t kMostProcesses = 256;

  std::string share_;
  Device device_;
  size_t process_count_ = 0;  // including those that are left out
  std::vector<ProcessUse> processes_;
  std::vector<UnitUse> units_;
  std::vector<HeapTotal> heaps_;
};

std::string metrics_text(const std::vector<SegmentMetrics>& segments, MetricsFormat format);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_METRICS_H_
