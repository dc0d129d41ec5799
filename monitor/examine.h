// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_EXAMINE_H_
#define CONCLAVE_MONITOR_EXAMINE_H_

#include <string>
#include <vector>

namespace conclave::monitor {

// The parts that `conclave examine` can show, in their order.
inline const std::vector<std::string> kReports = {"device",   "configuration", "heaps",
                                                  "contexts", "image",         "compute-units"};

struct ExamineOptions {
  std::string segment;               // "": as processes of this user find it
  std::vector<std::string> reports;  // of kReports; none: all
  bool json = false;
};

// Shows the device and what processes do with it. Returns the exit status: 1 where the segment
// cannot be used. That there is none, since no process uses the device, is no error.
int examine(const ExamineOptions& options);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_EXAMINE_H_
