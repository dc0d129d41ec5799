// SPDX-License-Identifier: Apache-2.0
#include "platform/base/control_group.h"

#include <string_view>

#include "platform/base/system_file.h"

namespace conclave {
namespace {

bool has_controller(std::string_view list, std::string_view name) {
  while (!list.empty())
    if (next_part(list, ',') == name) return true;
  return false;
}

}  // namespace

void for_each_control_group(const std::string& membership, const std::string& root,
                            const std::string& controller, const VisitControlGroup& visit) {
  for (std::string_view lines = membership; !lines.empty();) {
    // "hierarchy:controllers:path"; version 2 is hierarchy 0 without controllers.
    std::string_view line = next_part(lines, '\n');
    next_part(line, ':');
    const std::string_view controllers = next_part(line, ':');
    if (line.empty()) continue;
    const bool version2 = controllers.empty();
    if (!version2 && !has_controller(controllers, controller)) continue;
    const std::string mount = version2 ? root : root + "/" + controller;
    std::string group(line);
    for (;;) {
      while (group.ends_with('/')) group.pop_back();
      visit(mount + group, version2);
      if (group.empty()) break;
      group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
    }
  }
}

std::string control_group_membership() {
  return system_text("/proc/self/cgroup");
}

}  // namespace conclave
