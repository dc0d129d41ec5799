// SPDX-License-Identifier: Apache-2.0
#include "platform/base/process_rights.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "platform/base/system_file.h"

namespace conclave {
namespace {

constexpr std::array kLines = {"Uid:",    "Gid:",    "Groups:",  "CapInh:",         "CapPrm:",
                               "CapEff:", "CapBnd:", "Seccomp:", "Seccomp_filters:"};
constexpr std::array kPlaces = {"ns/mnt", "ns/pid", "ns/user", "ns/net", "ns/ipc", "root"};
constexpr std::string_view kUnconfined = "NoNewPrivs:\t0";

// The lines of /proc/<pid>/status that matter; "" if the process is confined or gone.
std::string status_lines(const std::string& directory) {
  const std::string status = system_text(directory + "status");
  std::string lines;
  bool is_unconfined = false;
  for (std::string_view rest = status; !rest.empty();) {
    const std::string_view line = next_part(rest, '\n');
    is_unconfined |= line == kUnconfined;
    if (std::any_of(kLines.begin(), kLines.end(),
                    [&](const char* name) { return line.starts_with(name); }))
      lines += std::string(line) + "\n";
  }
  return is_unconfined ? lines : "";
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
  // The second is what SELinux or AppArmor call the process. Where there are no labels, it is there
  // and cannot be read.
  return rights + system_text(directory + "cgroup") + system_text(directory + "attr/current");
}

}  // namespace conclave
