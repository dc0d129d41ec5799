// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/fault_report.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>

namespace conclave {
namespace {

// An address below this comes from a null pointer and an index.
constexpr uint64_t kNullBytes = 64 << 10;

// An address this near to some memory, or no farther from it than the memory is long, has missed
// it.
constexpr uint64_t kNearBytes = 1 << 20;

std::string hexadecimal(uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

std::string size_of(const NamedRange& range) {
  return " (" + std::to_string(range.end - range.begin) + " bytes)";
}

uint64_t distance(const NamedRange& range, uint64_t address) {
  if (address < range.begin) return range.begin - address;
  return address < range.end ? 0 : address - range.end + 1;
}

// What is at the address, or beside it.
std::string place(const FaultScene& scene, uint64_t address) {
  if (address < kNullBytes)
    return address == 0 ? "a null pointer"
                        : "a null pointer and " + std::to_string(address) + " bytes";
  const auto nearest = std::min_element(scene.memory.begin(), scene.memory.end(),
                                        [&](const NamedRange& a, const NamedRange& b) {
                                          return distance(a, address) < distance(b, address);
                                        });
  if (nearest == scene.memory.end()) return "no memory of the kernel";
  const NamedRange& range = *nearest;
  const uint64_t off = distance(range, address);
  if (off > std::max(kNearBytes, range.end - range.begin)) return "no memory of the kernel";
  if (off == 0)
    return "in " + range.name + size_of(range) + ", which is not there any more, or protected";
  if (address < range.begin)
    return std::to_string(off) + " bytes before the begin of " + range.name + size_of(range);
  return std::to_string(off - 1) + " bytes beyond the end of " + range.name + size_of(range);
}

std::string access_text(const KernelFault& fault, const FaultScene& scene) {
  const char* kind = fault.access == KernelFault::Access::kWrite     ? "write to "
                     : fault.access == KernelFault::Access::kExecute ? "jump to "
                                                                     : "read from ";
  if (!fault.has_address)
    return "access to an address that no memory can have, or that is not aligned as the access "
           "demands";
  if (fault.near_stack) return "the stack has overflowed: " + (kind + hexadecimal(fault.address));
  return kind + hexadecimal(fault.address) + ", " + place(scene, fault.address);
}

std::string what(const KernelFault& fault, const FaultScene& scene) {
  switch (fault.signal) {
    case SIGILL:
      return "illegal instruction: a trap, or code that cannot be reached";
    case SIGFPE:
      return "arithmetic error, such as a division of integers by zero in C code";
    case SIGBUS:
      return access_text(fault, scene) + " (bus error: the file behind it is too short?)";
    default:
      return access_text(fault, scene);
  }
}

std::string group_text(const FaultScene& scene) {
  if (!scene.group) return "";
  const auto& [x, y, z] = *scene.group;
  return ", work-group (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ")" + (scene.may_be_a_later_group ? " or one behind it" : "");
}

}  // namespace

std::string describe(const KernelFault& fault, const FaultScene& scene) {
  std::string text =
      "kernel '" + scene.kernel + "'" + group_text(scene) + ": " + what(fault, scene);
  if (!scene.source_line.empty()) text += "; " + scene.source_line;
  return text;
}

}  // namespace conclave
