// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_TOP_TOP_H_
#define CONCLAVE_MONITOR_TOP_TOP_H_

#include <string>

namespace conclave::monitor {

struct TopOptions {
  std::string segment;       // "": the one that processes of this user find
  double delay_s = 1;        // between two looks
  bool once = false;         // one interval as text
  bool json = false;         // one interval for programs
  std::string sort, filter;  // as at first; "": by busy time, all processes
};

inline constexpr double kLeastDelay = 0.1, kMostDelay = 3600;

// Shows who uses the device, again and again. Returns the exit status.
int top(const TopOptions& options);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TOP_TOP_H_
