// SPDX-License-Identifier: Apache-2.0
#include "platform/base/cpu_info.h"

#include <fstream>

namespace conclave {
namespace {

CpuInfo read_cpu_info() {
  CpuInfo info;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    std::string value = line.substr(colon + 2);
    if (line.starts_with("vendor_id")) info.vendor = value;
    if (line.starts_with("model name")) info.model = value;
  }
  if (info.vendor == "GenuineIntel") info.vendor_id = 0x8086;
  if (info.vendor == "AuthenticAMD") info.vendor_id = 0x1022;
  return info;
}

// The attribute of cpu0's cache of the highest level that has it.
uint64_t cache_attribute(const char* attribute) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/" +
                       attribute);
    uint64_t number;
    if (!(file >> number)) continue;
    char unit = '\0';
    file >> unit;
    value = unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
  }
  return value;
}

}  // namespace

const CpuInfo& CpuInfo::get() {
  static const CpuInfo info = read_cpu_info();
  return info;
}

uint64_t cpu_cache_bytes() {
  static const uint64_t bytes = cache_attribute("size");
  return bytes;
}

uint64_t cpu_cache_line_bytes() {
  static const uint64_t bytes = cache_attribute("coherency_line_size");
  return bytes;
}

uint32_t cpu_vector_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx")) return 32;
#endif
  return 16;
}

}  // namespace conclave
