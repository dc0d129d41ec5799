// SPDX-License-Identifier: Apache-2.0
#include "process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <thread>

#include "test/common/worker_process.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// Servers that see their client go end within this time; others wait for further work.
constexpr auto kIdleLimit = std::chrono::milliseconds(500);
constexpr auto kPause = std::chrono::milliseconds(1);
constexpr double kBytesPerMaxrss = 1024;

pid_t start(std::vector<std::string> arguments, const std::vector<std::string>& settings,
            const std::string& output) {
  arguments.insert(arguments.begin(), "conclave_build_bench");
  std::vector<std::string> environment = conclave::test::environment_with(settings);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr,
                                conclave::test::pointers(arguments).data(),
                                conclave::test::pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "posix_spawn");
  return pid;
}

// Their own children come to this process then, and are killed the next time.
void kill_children() {
  std::ifstream children("/proc/thread-self/children");
  for (pid_t pid; children >> pid;) kill(pid, SIGKILL);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// `usage` includes the descendants that a process has itself waited for.
void add(const rusage& usage, TreeRun& run) {
  run.cpu_seconds += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  run.peak_bytes = std::max(run.peak_bytes, kBytesPerMaxrss * static_cast<double>(usage.ru_maxrss));
}

}  // namespace

TreeRun run_tree(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& settings, const std::string& output,
                 std::chrono::duration<double> limit) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t root = start(arguments, settings, output);
  TreeRun run;
  bool root_runs = true;
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  for (;;) {
    int status = 0;
    rusage usage{};
    // __WALL: a process without a termination signal may be among the orphans.
    const pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid < 0 && errno == ECHILD) return run;
    if (pid > 0) {
      add(usage, run);
      if (pid != root) continue;
      run.status = status;
      root_runs = false;
      deadline = Clock::now() + kIdleLimit;
    } else if (Clock::now() >= deadline) {
      run.in_time &= !root_runs;
      kill_children();
    }
    if (pid <= 0) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace bench
