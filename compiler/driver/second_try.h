// SPDX-License-Identifier: Apache-2.0
// When the compiler crashes, a fresh one builds the program once more, work-item by work-item.
//
// LLVM sees few programs that work on packets of work-items, and so its errors are mostly there. In a
// process that has crashed nothing can be relied on, its heap least of all. So execve() puts the fresh
// compiler into its place. Whoever waits for the build still waits for the same process, which has
// the same limits.
#ifndef CONCLAVE_COMPILER_DRIVER_SECOND_TRY_H_
#define CONCLAVE_COMPILER_DRIVER_SECOND_TRY_H_

#include <string>
#include <vector>

namespace conclave::compiler {

// The option for work-items one by one, which the second try adds.
inline constexpr char kOneByOne[] = "-cl-conclave-width=1";

// What the log of such a build says of it. `reason`: what went wrong with packets.
std::string one_by_one_warning(const std::string& reason);

// When this process crashes after limit_build(), it writes `notice` to standard error and starts this
// program again with `words`, which do not begin with its name, and with `connection`, unless that is -1.
void prepare_second_try(const std::vector<std::string>& words, const std::string& notice,
                        int connection);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_SECOND_TRY_H_
