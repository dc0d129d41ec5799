// SPDX-License-Identifier: Apache-2.0
#include "daemon_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "worker_process.h"

namespace conclave::test {
namespace {

constexpr double kPatience = 20;  // seconds

}  // namespace

DaemonProcess::DaemonProcess(const std::string& name, const std::string& json)
    : config_((std::filesystem::temp_directory_path() / (name + ".json")).string()) {
  std::ofstream(config_) << json;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::vector<std::string> words = {folder / "ti-mctd", "--foreground", "--segment", name,
                                    "--config",         config_};
  if (posix_spawn(&pid_, words[0].c_str(), nullptr, nullptr, pointers(words).data(), environ) != 0)
    throw std::runtime_error("cannot start " + words[0]);
  const std::string socket = "/run/conclave/" + name + ".socket";
  for (const int64_t end = now_ns() + static_cast<int64_t>(kPatience * 1e9);
       access(socket.c_str(), F_OK) != 0;) {
    if (now_ns() > end || waitpid(pid_, nullptr, WNOHANG) != 0)
      throw std::runtime_error(words[0] + " does not listen at " + socket);
    usleep(1000);
  }
}

DaemonProcess::~DaemonProcess() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  std::filesystem::remove(config_);
}

bool DaemonProcess::has_ended() const {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

size_t DaemonProcess::resident_kib() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string word; status >> word;)
    if (size_t kib = 0; word == "VmRSS:" && status >> kib) return kib;
  return 0;
}

}  // namespace conclave::test
