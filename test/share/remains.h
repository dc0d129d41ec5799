// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_SHARE_REMAINS_H_
#define CONCLAVE_TEST_SHARE_REMAINS_H_

#include <sys/types.h>

#include <set>
#include <string>

namespace conclave::test {

// The output of a tool that lies beside this program. Throws std::runtime_error if it fails.
std::string tool_output(const std::string& command);

// What still belongs to `processes` in the shared segment `segment`, as Conclave's tools show it:
// entries in the table of processes, compute units, places among those that wait, heap blocks. ""
// if nothing does. Throws std::runtime_error if a tool fails.
std::string remains_of(const std::set<pid_t>& processes, const std::string& segment);

// What belongs to anybody, be it to nobody known; otherwise as above.
std::string all_remains(const std::string& segment);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_REMAINS_H_
