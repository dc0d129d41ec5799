// SPDX-License-Identifier: Apache-2.0
#include "monitor/doctor/probe.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <system_error>

#include "platform/base/descriptor.h"

namespace conclave::monitor {
namespace {

constexpr size_t kMostOutput = 1 << 20;

Descriptor memory_file() {
  Descriptor file(memfd_create("conclave-doctor", MFD_CLOEXEC));
  if (!file) throw std::system_error(errno, std::generic_category(), "memfd_create");
  return file;
}

std::string content(const Descriptor& file) {
  std::string text;
  lseek(file.get(), 0, SEEK_SET);
  read_file(file.get(), kMostOutput, text);
  return text;
}

[[noreturn]] void run(const std::function<int(FILE*)>& body, const Descriptor& output,
                      const Descriptor& log) {
  dup2(log.get(), STDERR_FILENO);
  dup2(log.get(), STDOUT_FILENO);
  FILE* file = fdopen(dup(output.get()), "w");
  const int status = file ? body(file) : 1;
  if (file) fclose(file);
  _exit(status);
}

}  // namespace

Probe probe(const std::function<int(FILE*)>& body, double seconds) {
  const Descriptor output = memory_file(), log = memory_file();
  Probe result;
  fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) run(body, output, log);
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  pollfd ended = {process.get(), POLLIN, 0};
  if (poll(&ended, 1, static_cast<int>(seconds * 1000)) <= 0) {
    result.in_time = false;
    kill(child, SIGKILL);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = content(output);
  result.log = content(log);
  return result;
}

std::string Probe::failure() const {
  if (!in_time) return "it does not end";
  if (status > 128) return std::string("it ends with a signal: ") + strsignal(status - 128);
  return "it fails with status " + std::to_string(status);
}

std::string value_of(const std::string& output, const std::string& name) {
  const std::string text = "\n" + output, start = "\n" + name + ": ";
  const size_t at = text.find(start);
  if (at == text.npos) return "";
  const size_t begin = at + start.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace conclave::monitor
