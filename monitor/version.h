// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_VERSION_H_
#define CONCLAVE_MONITOR_VERSION_H_

#include <string>

namespace conclave::monitor {

// What `tool --version` prints: "conclave (Conclave) 26.11, commit 0123456789ab". The commit is
// "unknown" if the source was not in git, and ends with "-dirty" if files of it were changed.
std::string version_text(const std::string& tool);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_VERSION_H_
