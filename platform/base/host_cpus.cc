// SPDX-License-Identifier: Apache-2.0
#include "platform/base/host_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "platform/base/clock.h"
#include "platform/base/control_group.h"

namespace conclave {
namespace {

uint32_t affinity_cpus() {
  // The mask is as large as the kernel was configured for, which may be more than cpu_set_t has.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    const size_t size = CPU_ALLOC_SIZE(cpus);
    const bool known = set && sched_getaffinity(0, size, set) == 0;
    const int count = known ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (count > 0) return static_cast<uint32_t>(count);
  }
  return 1;
}

// "quota period", both in microseconds; a quota of "max" or -1 means no limit.
uint32_t parse_quota(const std::string& text) {
  std::istringstream fields(text);
  double quota = 0, period = 0;
  if (!(fields >> quota >> period) || quota <= 0 || period <= 0) return UINT32_MAX;
  const double cpus = quota / period;
  const auto whole = static_cast<uint32_t>(std::min(cpus, 1e6));
  return std::max<uint32_t>(1, cpus > whole ? whole + 1 : whole);
}

uint32_t group_limit(const std::string& directory, bool version2) {
  if (version2) return parse_quota(first_line(directory + "/cpu.max"));
  return parse_quota(first_line(directory + "/cpu.cfs_quota_us") + " " +
                     first_line(directory + "/cpu.cfs_period_us"));
}

uint32_t read_mhz() {
  std::ifstream highest("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (uint32_t khz = 0; highest >> khz) return khz / 1000;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();)
    if (const size_t colon = line.find(": ");
        line.starts_with("cpu MHz") && colon != std::string::npos)
      return static_cast<uint32_t>(std::strtod(line.c_str() + colon + 2, nullptr));
  return 0;
}

}  // namespace

uint32_t host_cpu_mhz() {
  static const uint32_t mhz = std::max(1u, read_mhz());
  return mhz;
}

uint64_t device_cycles() {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(now_ns()) * host_cpu_mhz() / 1000);
}

uint32_t control_group_cpus(const std::string& membership, const std::string& root) {
  uint32_t limit = UINT32_MAX;
  for_each_control_group(membership, root, "cpu", [&](const std::string& directory, bool version2) {
    limit = std::min(limit, group_limit(directory, version2));
  });
  return limit;
}

uint32_t host_cpus() {
  return std::min(affinity_cpus(),
                  control_group_cpus(control_group_membership(), kControlGroupRoot));
}

}  // namespace conclave
