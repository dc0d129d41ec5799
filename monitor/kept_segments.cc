// SPDX-License-Identifier: Apache-2.0
#include "monitor/kept_segments.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <sstream>

#include "monitor/background.h"

namespace conclave::monitor {
namespace {

constexpr int kFirstKept = 3;  // SD_LISTEN_FDS_START

}  // namespace

void keep_with_service_manager(const std::string& name, const Descriptor& file) {
  tell_service_manager("FDSTORE=1\nFDNAME=" + name, file.get());
}

void drop_at_service_manager(const std::string& name) {
  tell_service_manager("FDSTOREREMOVE=1\nFDNAME=" + name);
}

std::vector<std::pair<std::string, Descriptor>> kept_by_service_manager() {
  std::vector<std::pair<std::string, Descriptor>> kept;
  const char* pid = getenv("LISTEN_PID");
  const char* count = getenv("LISTEN_FDS");
  const char* names = getenv("LISTEN_FDNAMES");
  if (!pid || !count || !names || atoi(pid) != getpid()) return kept;
  std::istringstream list(names);
  std::string name;
  for (int i = 0; i < atoi(count) && std::getline(list, name, ':'); ++i) {
    fcntl(kFirstKept + i, F_SETFD, FD_CLOEXEC);
    kept.emplace_back(name, Descriptor(kFirstKept + i));
  }
  return kept;
}

}  // namespace conclave::monitor
