// SPDX-License-Identifier: Apache-2.0
// How much memory this process may use.
#ifndef CONCLAVE_PLATFORM_BASE_HOST_MEMORY_H_
#define CONCLAVE_PLATFORM_BASE_HOST_MEMORY_H_

#include <cstdint>
#include <string>

namespace conclave {

// The machine's memory in bytes, but not more than the control group grants: beyond that the kernel
// ends the process. As it was at the first call.
uint64_t host_memory();

// The bytes that control groups grant: the smallest value of the group and those above it.
// UINT64_MAX if there is no limit. `membership` is the text of /proc/self/cgroup, `root` the
// directory where the control groups are mounted (/sys/fs/cgroup). Version 2 (memory.max) and
// version 1 (memory/memory.limit_in_bytes) are understood.
uint64_t control_group_memory(const std::string& membership, const std::string& root);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_HOST_MEMORY_H_
