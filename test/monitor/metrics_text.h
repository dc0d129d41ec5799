// SPDX-License-Identifier: Apache-2.0
// A strict reader of metrics: Prometheus's text format 0.0.4 and OpenMetrics 1.0, as far as
// counters and gauges need them.
#ifndef CONCLAVE_TEST_MONITOR_METRICS_TEXT_H_
#define CONCLAVE_TEST_MONITOR_METRICS_TEXT_H_

#include <map>
#include <string>

namespace conclave::test {

using MetricLabels = std::map<std::string, std::string>;

struct MetricFamily {
  std::string type, unit, help;
  std::map<MetricLabels, double> samples;
};

// The families by the names of their samples. Throws std::runtime_error, naming the line, if the
// text is not exactly as the format demands.
std::map<std::string, MetricFamily> parse_metrics(const std::string& text, bool open_metrics);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_MONITOR_METRICS_TEXT_H_
