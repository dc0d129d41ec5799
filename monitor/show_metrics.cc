// SPDX-License-Identifier: Apache-2.0
#include "monitor/show_metrics.h"

#include <unistd.h>

#include <cstdio>

#include "monitor/find_segment.h"
#include "monitor/metrics.h"
#include "platform/base/error.h"

namespace conclave::monitor {

int show_metrics(const std::string& segment, bool open_metrics) {
  try {
    std::vector<SegmentMetrics> metrics;
    if (const auto found = find_segment(segment))
      metrics.emplace_back("user-" + std::to_string(geteuid()), *found);
    const auto format = open_metrics ? MetricsFormat::kOpenMetrics : MetricsFormat::kPrometheus;
    fputs(metrics_text(metrics, format).c_str(), stdout);
    return 0;
  } catch (const Error& error) {
    fprintf(stderr, "conclave metrics: %s\n", error.what());
    return 1;
  }
}

}  // namespace conclave::monitor
