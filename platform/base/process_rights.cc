// SPDX-License-Identifier: Apache-2.0
#include "platform/base/process_rights.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace conclave {
namespace {

constexpr std::array kLines = {"Uid:",    "Gid:",    "Groups:",  "CapInh:",         "CapPrm:",
                               "CapEff:", "CapBnd:", "Seccomp:", "Seccomp_filters:"};
constexpr std::array kPlaces = {"ns/mnt", "ns/pid", "ns/user", "ns/net", "ns/ipc", "root"};
constexpr std::string_view kUnconfined = "NoNewPrivs:\t0";

// The lines of /proc/<pid>/status that matter; "" if the process is confined or gone.
std::string status_lines(const std::string& directory) {
  std::ifstream file(directory + "status");
  std::string lines;
  bool is_unconfined = false;
  for (std::string line; std::getline(file, line);) {
    is_unconfined |= line == kUnconfined;
    if (std::any_of(kLines.begin(), kLines.end(),
                    [&](const char* name) { return line.starts_with(name); }))
      lines += line + "\n";
  }
  return is_unconfined ? lines : "";
}

// "" if it cannot be read: where there are no labels, it is there and cannot be.
std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  return text;
}

}  // namespace

std::string rights_of(pid_t process) {
  const std::string directory = "/proc/" + std::to_string(process) + "/";
  std::string rights = status_lines(directory);
  if (rights.empty()) return "";
  for (const char* place : kPlaces) {
    struct stat status;
    if (stat((directory + place).c_str(), &status) != 0) return "";
    rights += std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + "\n";
  }
  // The second is what SELinux or AppArmor call the process.
  return rights + text_of(directory + "cgroup") + text_of(directory + "attr/current");
}

}  // namespace conclave
