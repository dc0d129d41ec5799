// SPDX-License-Identifier: Apache-2.0
#include "platform/base/host_cpus.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

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

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
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

bool has_controller(const std::string& list, const std::string& name) {
  std::istringstream controllers(list);
  for (std::string controller; std::getline(controllers, controller, ',');)
    if (controller == name) return true;
  return false;
}

}  // namespace

uint32_t control_group_cpus(const std::string& membership, const std::string& root) {
  uint32_t limit = UINT32_MAX;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    // "hierarchy:controllers:path"; version 2 is hierarchy 0 without controllers.
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && !has_controller(controllers, "cpu")) continue;
    const std::string mount = version2 ? root : root + "/cpu";
    std::string group = line.substr(second + 1);
    // From the group up to the root; a container may see only the root, as its own group.
    for (;;) {
      while (group.ends_with('/')) group.pop_back();
      limit = std::min(limit, group_limit(mount + group, version2));
      if (group.empty()) break;
      group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
    }
  }
  return limit;
}

uint32_t host_cpus() {
  std::ifstream file("/proc/self/cgroup");
  const std::string membership{std::istreambuf_iterator<char>(file), {}};
  return std::min(affinity_cpus(), control_group_cpus(membership, "/sys/fs/cgroup"));
}

}  // namespace conclave
