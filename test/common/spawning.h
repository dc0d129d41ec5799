// SPDX-License-Identifier: Apache-2.0
// What posix_spawn() takes. Tests start processes by it rather than by fork(): in a fork of a process
// with threads, whatever the child does before exec() may wait for a lock that nobody holds any more.
#ifndef CONCLAVE_TEST_COMMON_SPAWNING_H_
#define CONCLAVE_TEST_COMMON_SPAWNING_H_

#include <string>
#include <vector>

namespace conclave::test {

// The environment of this process, with `settings` ("NAME=value") in place of what they replace.
std::vector<std::string> environment_with(const std::vector<std::string>& settings);
// For exec and spawn: pointers to the texts, and a null.
std::vector<char*> pointers(std::vector<std::string>& texts);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_SPAWNING_H_
