// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_EXAMINE_H_
#define CONCLAVE_MONITOR_EXAMINE_H_

#include <string>
#include <vector>

namespace conclave::monitor {

// The parts that `conclave examine` can show, in their order.
inline const std::vector<std::string> kReports = {
    "device", "configuration", "heaps", "contexts", "xclbin", "access-modes", "compute-units"};

// The parts that are shown only if they are named: XRT's names for parts of the xclbin.
inline const std::vector<std::string> kNamedReports = {"dynamic-regions", "aie", "aie-shim"};

struct ExamineOptions {
  std::string segment;               // "": the one that processes of this user find
  std::vector<std::string> reports;  // of both lists; none: all of kReports
  bool json = false;
};

// Shows the device and what processes do with it. Returns the exit status: 1 if the segment cannot
// be used. It is no error if there is no segment because no process uses the device.
int examine(const ExamineOptions& options);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_EXAMINE_H_
