// SPDX-License-Identifier: Apache-2.0
#include "platform/base/control_group.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace conclave {
namespace {

bool has_controller(const std::string& list, const std::string& name) {
  std::istringstream controllers(list);
  for (std::string controller; std::getline(controllers, controller, ',');)
    if (controller == name) return true;
  return false;
}

}  // namespace

void for_each_control_group(const std::string& membership, const std::string& root,
                            const std::string& controller, const VisitControlGroup& visit) {
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    // "hierarchy:controllers:path"; version 2 is hierarchy 0 without controllers.
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && !has_controller(controllers, controller)) continue;
    const std::string mount = version2 ? root : root + "/" + controller;
    std::string group = line.substr(second + 1);
    for (;;) {
      while (group.ends_with('/')) group.pop_back();
      visit(mount + group, version2);
      if (group.empty()) break;
      group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
    }
  }
}

std::string control_group_membership() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace conclave
