// SPDX-License-Identifier: Apache-2.0
#include "platform/base/host_cpus.h"

#include <sched.h>

#include <algorithm>

#include "platform/base/clock.h"
#include "platform/base/control_group.h"
#include "platform/base/system_file.h"

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

// Both in microseconds; a quota of "max" or -1 means no limit.
uint32_t cpus_of(std::string_view quota_text, std::string_view period_text) {
  const uint64_t quota = number_in(quota_text), period = number_in(period_text);
  if (quota == 0 || period == 0) return UINT32_MAX;
  return static_cast<uint32_t>(std::min<uint64_t>((quota - 1) / period + 1, 1'000'000));
}

uint32_t group_limit(const std::string& directory, bool version2) {
  if (!version2)
    return cpus_of(first_line(directory + "/cpu.cfs_quota_us"),
                   first_line(directory + "/cpu.cfs_period_us"));
  const std::string both = first_line(directory + "/cpu.max");
  std::string_view period = both;
  const std::string_view quota = next_part(period, ' ');
  return cpus_of(quota, period);
}

uint32_t read_mhz() {
  if (const uint64_t khz =
          number_in(first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")))
    return static_cast<uint32_t>(khz / 1000);
  const std::string cpus = system_text("/proc/cpuinfo");
  constexpr std::string_view kName = "\ncpu MHz";
  const size_t place = cpus.find(kName);
  if (place == cpus.npos) return 0;
  std::string_view value = std::string_view(cpus).substr(place + kName.size());
  next_part(value, ' ');
  return static_cast<uint32_t>(number_in(value));
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
  static const uint32_t granted = control_group_cpus(control_group_membership(), kControlGroupRoot);
  return std::min(affinity_cpus(), granted);
}

}  // namespace conclave
