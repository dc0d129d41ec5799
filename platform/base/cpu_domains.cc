// SPDX-License-Identifier: Apache-2.0
#include "platform/base/cpu_domains.h"

#include <algorithm>
#include <filesystem>

#include "platform/base/system_file.h"

namespace conclave {
namespace {

// A name of the CPU's node or cache that CPUs which share it have in common; "" if unknown.
std::string numa_node(const std::filesystem::path& cpu) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(cpu, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("node")) return name;
  }
  return "";
}

std::string cache_of_level(const std::filesystem::path& cpu, char level) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(cpu / "cache", error)) {
    const std::filesystem::path& cache = entry.path();
    if (first_line(cache / "level") == std::string(1, level) &&
        first_line(cache / "type") != "Instruction")
      return first_line(cache / "shared_cpu_list");
  }
  return "";
}

std::string name_of(const std::filesystem::path& cpu, CpuDomain domain) {
  switch (domain) {
    case CpuDomain::kNumaNode:
      return numa_node(cpu);
    case CpuDomain::kL4Cache:
      return cache_of_level(cpu, '4');
    case CpuDomain::kL3Cache:
      return cache_of_level(cpu, '3');
    case CpuDomain::kL2Cache:
      return cache_of_level(cpu, '2');
    case CpuDomain::kL1Cache:
      return cache_of_level(cpu, '1');
  }
  return "";
}

}  // namespace

std::vector<std::vector<size_t>> group_by_domain(const std::vector<int>& cpus, CpuDomain domain,
                                                 const std::string& root) {
  std::vector<std::string> names;
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < cpus.size(); ++i) {
    const auto cpu = std::filesystem::path(root) / "cpu" / ("cpu" + std::to_string(cpus[i]));
    const std::string name = name_of(cpu, domain);
    if (name.empty()) return {};
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end()) {
      names.push_back(name);
      groups.push_back({i});
    } else {
      groups[known - names.begin()].push_back(i);
    }
  }
  return groups;
}

}  // namespace conclave
