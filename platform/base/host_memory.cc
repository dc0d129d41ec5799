// SPDX-License-Identifier: Apache-2.0
#include "platform/base/host_memory.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "platform/base/control_group.h"
#include "platform/base/system_file.h"

namespace conclave {

uint64_t control_group_memory(const std::string& membership, const std::string& root) {
  uint64_t limit = UINT64_MAX;
  for_each_control_group(
      membership, root, "memory", [&](const std::string& directory, bool version2) {
        const std::string text =
            first_line(directory + (version2 ? "/memory.max" : "/memory.limit_in_bytes"));
        // Neither "max" nor an empty text is a number.
        uint64_t bytes = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), bytes);
        if (parsed.ec == std::errc()) limit = std::min(limit, bytes);
      });
  return limit;
}

uint64_t host_memory() {
  static const uint64_t bytes = [] {
    const long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    const uint64_t machine = pages > 0 && page_size > 0
                                 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_size)
                                 : UINT64_MAX;
    return std::min(machine, control_group_memory(control_group_membership(), kControlGroupRoot));
  }();
  return bytes;
}

}  // namespace conclave
