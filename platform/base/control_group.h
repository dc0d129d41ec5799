// SPDX-License-Identifier: Apache-2.0
// The control groups that a process is in, where the kernel shows their limits.
#ifndef CONCLAVE_PLATFORM_BASE_CONTROL_GROUP_H_
#define CONCLAVE_PLATFORM_BASE_CONTROL_GROUP_H_

#include <functional>
#include <string>

namespace conclave {

// Calls visit(directory, version 2?) for the group of this process under `controller` ("cpu",
// "memory") and for the groups above it, whose limits hold as well. `membership` is the text of
// /proc/self/cgroup, `root` the directory where control groups are mounted. A directory may be
// missing: a container sees its own group as the root, or does not see what is above it.
using VisitControlGroup = std::function<void(const std::string& directory, bool version2)>;
void for_each_control_group(const std::string& membership, const std::string& root,
                            const std::string& controller, const VisitControlGroup& visit);

// The membership of this process.
std::string control_group_membership();
inline constexpr char kControlGroupRoot[] = "/sys/fs/cgroup";

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CONTROL_GROUP_H_
