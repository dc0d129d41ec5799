// SPDX-License-Identifier: Apache-2.0
// How many CPUs this process may use, and how fast they are.
#ifndef CONCLAVE_PLATFORM_BASE_HOST_CPUS_H_
#define CONCLAVE_PLATFORM_BASE_HOST_CPUS_H_

#include <cstdint>
#include <string>

namespace conclave {

// The CPUs in the process's affinity mask, but not more than its control group grants. The system
// gives no CPU time beyond the quota, so more workers would only wait for each other. The group is
// asked once.
uint32_t host_cpus();

// The first CPU's highest frequency as the system tells it, or its present one; at least 1. Read
// once, since the present one changes all the time.
uint32_t host_cpu_mhz();

// The time in cycles of that frequency, which kernels and graphs use as the device's clock.
uint64_t device_cycles();

// The CPUs that control groups grant: quota / period, rounded up, the smallest value of the group
// and those above it. UINT32_MAX if there is no limit. `membership` is the text of
// /proc/self/cgroup, `root` the directory where the control groups are mounted (/sys/fs/cgroup).
// Version 2 (cpu.max) and version 1 (cpu/cpu.cfs_quota_us) are understood.
uint32_t control_group_cpus(const std::string& membership, const std::string& root);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_HOST_CPUS_H_
