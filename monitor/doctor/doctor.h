// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_DOCTOR_DOCTOR_H_
#define CONCLAVE_MONITOR_DOCTOR_DOCTOR_H_

#include <string>

namespace conclave::monitor {

// Looks for what is wrong with the installation, and says what to do. Returns the exit status: 1 if
// there is a problem.
int doctor(const std::string& segment, bool json);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DOCTOR_DOCTOR_H_
