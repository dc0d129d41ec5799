// SPDX-License-Identifier: Apache-2.0
// Tries something that may crash or never end, in a process of its own.
#ifndef CONCLAVE_MONITOR_DOCTOR_PROBE_H_
#define CONCLAVE_MONITOR_DOCTOR_PROBE_H_

#include <cstdio>
#include <functional>
#include <string>

namespace conclave::monitor {

struct Probe {
  bool in_time = true;
  int status = 0;      // exit status, 128 + signal if one ended it
  std::string output;  // what `body` has written
  std::string log;     // to standard error

  bool succeeded() const { return in_time && status == 0; }
  // Why it has not, in words.
  std::string failure() const;
};

// Calls `body` with a file for its output; its value is the exit status.
Probe probe(const std::function<int(FILE* output)>& body, double seconds = 30);

// The value of the line "name: value" in a probe's output; "" if there is none.
std::string value_of(const std::string& output, const std::string& name);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DOCTOR_PROBE_H_
