// SPDX-License-Identifier: Apache-2.0
// The caches of this machine's CPU, as it reports them itself, within reason.
#ifndef CONCLAVE_COMPILER_BASE_CACHE_SIZES_H_
#define CONCLAVE_COMPILER_BASE_CACHE_SIZES_H_

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace conclave {

// Bytes of the caches that hold data. The second cache is the last one where there are two levels.
struct CacheSizes {
  uint64_t line = 0;
  uint64_t first = 0;
  uint64_t second = 0;
  uint64_t last = 0;  // of which a machine may have several
};

// Few CPUs have more of the last cache for a core. A virtual machine reports that of the whole host,
// though the host's others use it too.
inline constexpr uint64_t kMostLastBytesPerCpu = uint64_t{16} << 20;

// Zeros where the CPU says nothing.
inline CacheSizes reported_cache_sizes() {
  CacheSizes sizes;
#if defined(__x86_64__)
  // Intel's leaf and AMD's, which have the same format. A CPU has one of them.
  for (uint32_t leaf : {0x4u, 0x8000001du})
    for (uint32_t index = 0; index < 16; ++index) {
      uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
      if (!__get_cpuid_count(leaf, index, &eax, &ebx, &ecx, &edx)) break;
      const uint32_t type = eax & 31;  // 0: no more caches, 2: for instructions
      if (type == 0) break;
      if (type == 2) continue;
      const uint64_t ways = (ebx >> 22) + 1, partitions = ((ebx >> 12) & 1023) + 1;
      const uint64_t sets = uint64_t{ecx} + 1;
      const uint32_t level = (eax >> 5) & 7;
      sizes.line = (ebx & 4095) + 1;
      sizes.last = ways * partitions * sizes.line * sets;  // levels come in their order
      if (level == 1) sizes.first = sizes.last;
      if (level == 2) sizes.second = sizes.last;
    }
  const auto cpus = static_cast<uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  sizes.last = std::min(sizes.last, cpus * kMostLastBytesPerCpu);
#endif
  return sizes;
}

}  // namespace conclave

#endif  // CONCLAVE_COMPILER_BASE_CACHE_SIZES_H_
