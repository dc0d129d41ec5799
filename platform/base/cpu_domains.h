// SPDX-License-Identifier: Apache-2.0
// Which CPUs share a NUMA node, and which share a cache.
#ifndef CONCLAVE_PLATFORM_BASE_CPU_DOMAINS_H_
#define CONCLAVE_PLATFORM_BASE_CPU_DOMAINS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace conclave {

// From the largest to the smallest, the order in which OpenCL partitions by "next partitionable".
enum class CpuDomain { kNumaNode, kL4Cache, kL3Cache, kL2Cache, kL1Cache };

// Groups the elements of `cpus`, which are numbers of CPUs, by the node or the cache of data that
// they share: lists of indices into `cpus`, in the order of their first elements. Empty if the
// system does not tell where all of them belong. `root` is where it tells: /sys/devices/system.
std::vector<std::vector<size_t>> group_by_domain(const std::vector<int>& cpus, CpuDomain domain,
                                                 const std::string& root = "/sys/devices/system");

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CPU_DOMAINS_H_
