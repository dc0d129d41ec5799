// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_SHOW_METRICS_H_
#define CONCLAVE_MONITOR_SHOW_METRICS_H_

#include <string>

namespace conclave::monitor {

// Writes the metrics of this user's segment. Returns the exit status: 1 if the segment cannot be
// used. It is no error if nobody uses the device.
int show_metrics(const std::string& segment, bool open_metrics);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_SHOW_METRICS_H_
