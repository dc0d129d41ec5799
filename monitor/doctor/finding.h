// SPDX-License-Identifier: Apache-2.0
// What `conclave doctor` finds.
#ifndef CONCLAVE_MONITOR_DOCTOR_FINDING_H_
#define CONCLAVE_MONITOR_DOCTOR_FINDING_H_

#include <string>
#include <vector>

namespace conclave::monitor {

struct Finding {
  // kProblem: programs cannot use the device, or not as they should. kWarning: something may
  // surprise. kNote: worth knowing.
  enum State : uint8_t { kGood, kNote, kWarning, kProblem };

  std::string check;
  State state = kGood;
  std::string what;
  std::string advice;  // what to do; "" if nothing is
};
using Findings = std::vector<Finding>;

inline const char* name_of(Finding::State state) {
  static constexpr const char* kNames[] = {"good", "note", "warning", "problem"};
  return kNames[state];
}

// --- The checks ---

// The loader, the vendor files and what they lead to, and a kernel through all of it.
void check_opencl(Findings& findings);
// Meeting place, segment, daemon, configuration.
void check_sharing(Findings& findings, const std::string& segment);
// The compiler, the cache on disk, what SPIR-V needs.
void check_building(Findings& findings);
// What the system grants this process.
void check_limits(Findings& findings);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DOCTOR_FINDING_H_
