// SPDX-License-Identifier: Apache-2.0
#include "platform/share/process_identity.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sstream>

namespace conclave::share {
namespace {

// The readable part of a file: a process may end while its files in /proc are being read.
std::string read_file(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char block[4096];
  for (;;) {
    const ssize_t size = read(file, block, sizeof block);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(block, static_cast<size_t>(size));
  }
  close(file);
  return text;
}

// The needed parts of /proc/<pid>/stat.
struct Stat {
  bool known = false;
  char state = '?';
  long threads = 0;
  uint64_t start_time = 0;
};

Stat read_stat(pid_t pid) {
  Stat stat;
  const std::string text = read_file("/proc/" + std::to_string(pid) + "/stat");
  // The name, in brackets, may itself hold blanks and brackets.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return stat;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  fields >> stat.state;                                  // field 3
  for (int i = 4; i < 20; ++i) fields >> skipped;        // up to nice
  fields >> stat.threads >> skipped >> stat.start_time;  // fields 20 to 22
  stat.known = !fields.fail();
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
  std::string name = read_file("/proc/" + std::to_string(pid) + "/comm");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

std::string process_command(pid_t pid) {
  std::string command = read_file("/proc/" + std::to_string(pid) + "/cmdline");
  while (command.ends_with('\0')) command.pop_back();
  std::replace_if(command.begin(), command.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return command;
}

uint64_t pid_namespace() {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace conclave::share
