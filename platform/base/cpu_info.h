// SPDX-License-Identifier: Apache-2.0
// What the host's CPU is: who made it, its caches and its vector registers.
#ifndef CONCLAVE_PLATFORM_BASE_CPU_INFO_H_
#define CONCLAVE_PLATFORM_BASE_CPU_INFO_H_

#include <cstdint>
#include <string>

namespace conclave {

// What the CPU says of itself; read once.
struct CpuInfo {
  std::string vendor = "unknown";
  std::string model = "CPU";
  uint32_t vendor_id = 0;  // PCI vendor number, as other runtimes report it; 0 if unknown

  static const CpuInfo& get();
};

// Size of the first CPU's cache of the highest level, and of its lines, in bytes; 0 if the system
// does not say. Read once.
uint64_t cpu_cache_bytes();
uint64_t cpu_cache_line_bytes();

// Size of a vector register in bytes.
uint32_t cpu_vector_bytes();

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_CPU_INFO_H_
