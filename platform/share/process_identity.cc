// SPDX-License-Identifier: Apache-2.0
#include "platform/share/process_identity.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "platform/base/system_file.h"

namespace conclave::share {
namespace {

// The needed parts of /proc/<pid>/stat.
struct Stat {
  bool known = false;
  char state = '?';
  uint64_t threads = 0;
  uint64_t start_time = 0;
};

Stat read_stat(pid_t pid) {
  Stat stat;
  const std::string text = system_text("/proc/" + std::to_string(pid) + "/stat");
  // The name, in brackets, may itself hold blanks and brackets.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return stat;
  std::string_view fields = std::string_view(text).substr(name_end + 1);
  next_part(fields, ' ');
  for (int field = 3; field <= 22 && !fields.empty(); ++field) {
    const std::string_view value = next_part(fields, ' ');
    if (field == 3) stat.state = value.empty() ? '?' : value[0];
    if (field == 20) stat.threads = number_in(value);
    if (field == 22) stat.start_time = number_in(value);
  }
  stat.known = stat.start_time != 0;
  return stat;
}

// Asks the kernel whether there is a process of that number. True if it cannot tell.
bool may_exist(pid_t pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return errno != ESRCH;
  pollfd ended{fd, POLLIN, 0};
  const bool alive = poll(&ended, 1, 0) <= 0;
  close(fd);
  return alive;
}

}  // namespace

ProcessIdentity identity_of(pid_t pid) {
  return {pid, read_stat(pid).start_time};
}

ProcessIdentity ProcessIdentity::self() {
  return identity_of(getpid());
}

Liveness liveness(const ProcessIdentity& process) {
  if (process.pid <= 0 || !may_exist(process.pid)) return Liveness::kDead;
  // The processes of others may be hidden in /proc.
  const Stat stat = read_stat(process.pid);
  if (!stat.known) return Liveness::kAlive;
  if (process.start_time && stat.start_time != process.start_time) return Liveness::kDead;
  // A main thread that ended before the others is a zombie too.
  if ((stat.state == 'Z' && stat.threads <= 1) || stat.state == 'X') return Liveness::kDead;
  return stat.state == 'T' || stat.state == 't' ? Liveness::kStopped : Liveness::kAlive;
}

std::string process_name(pid_t pid) {
  std::string name = system_text("/proc/" + std::to_string(pid) + "/comm");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

std::string process_command(pid_t pid) {
  std::string command = system_text("/proc/" + std::to_string(pid) + "/cmdline");
  while (command.ends_with('\0')) command.pop_back();
  std::replace_if(command.begin(), command.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return command;
}

uint64_t pid_namespace() {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace conclave::share
