// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_EXAMINE_H_
#define CONCLAVE_MONITOR_EXAMINE_H_

#include <string>
#include <vector>

namespace conclave::monitor {

// The parts that `conclave examine` can show, in their order.
inline const std::vector<std::string> kReports = {
    "device", "configuration", "heaps", "contexts", "image", "access-modes", "compute-units"};

// Those that are shown only where they are named: XRT's names for parts of the device image.
inline const std::vector<std::string> kNamedReports = {"dynamic-regions", "aie", "aie-shim"};

struct ExamineOptions {
  std::string segment;               // "": as processes of this user find it
  std::vector<std::string> reports;  // of both lists; none: all of kReports
  bool json = false;
};

// Shows the device and what processes do with it. Returns the exit status: 1 where the segment
// cannot be used. That there is none, since no process uses the device, is no error.
int examine(const ExamineOptions& options);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_EXAMINE_H_
