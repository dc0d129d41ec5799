// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_DOCTOR_OWN_PROGRAMS_H_
#define CONCLAVE_MONITOR_DOCTOR_OWN_PROGRAMS_H_

#include <string>

namespace conclave::monitor {

// The path of a file of the installation that this program belongs to, in the first of `places`
// that has it: paths from the prefix, which is the folder above that of this program. "" if none
// has.
std::string own_file(std::initializer_list<const char*> places);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_DOCTOR_OWN_PROGRAMS_H_
