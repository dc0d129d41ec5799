// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_TRACE_TRACE_H_
#define CONCLAVE_MONITOR_TRACE_TRACE_H_

#include <string>
#include <vector>

namespace conclave::monitor {

struct TraceOptions {
  std::string segment;               // "": the one that processes of this user find
  double seconds = 0;                // 0: until the program ends, or until the user ends it
  std::string output;                // "": conclave-trace.json, with `svg` conclave-trace.svg
  bool svg = false;                  // a picture instead of JSON
  std::vector<std::string> program;  // with its arguments; empty: none
};

inline constexpr double kLongestTrace = 86400;

// Records what the processes of this user do on the device, and writes it to a file. Returns the
// exit status; that of the program if there is one and all went well.
int trace(const TraceOptions& options);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TRACE_TRACE_H_
