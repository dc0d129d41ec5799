// SPDX-License-Identifier: Apache-2.0
#include "child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "test/common/spawning.h"

namespace conclave::test {
namespace {

std::map<std::string, int (*)()>& entries() {
  static std::map<std::string, int (*)()> all;
  return all;
}

constexpr char kOption[] = "--child=";

std::string proc_file(pid_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

pid_t parent_of(pid_t pid) {
  std::string stat = proc_file(pid, "stat");
  size_t name_end = stat.rfind(')');  // the name may hold spaces and parentheses
  char state = 0;
  int parent = -1;
  if (name_end != std::string::npos) {
    std::sscanf(stat.c_str() + name_end + 1, " %c %d", &state, &parent);
  }
  return state == 'Z' ? -1 : parent;  // a zombie is gone but for its exit status
}

std::vector<pid_t> processes(const std::function<bool(pid_t)>& condition) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && condition(pid)) found.push_back(pid);
  }
  return found;
}

}  // namespace

ChildEntry::ChildEntry(const char* name, int (*run)()) {
  entries()[name] = run;
}

int run_child_entry(int argc, char** argv) {
  if (argc < 2 || std::strncmp(argv[1], kOption, sizeof kOption - 1) != 0) return -1;
  auto entry = entries().find(argv[1] + sizeof kOption - 1);
  if (entry == entries().end()) {
    std::fprintf(stderr, "no child function %s\n", argv[1]);
    return 125;
  }
  return entry->second();
}

bool eventually(const std::function<bool()>& condition, unsigned seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

int wait_for_child(pid_t child, unsigned seconds) {
  int status = 0;
  if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; }, seconds)) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ChildResult run_child(const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& environment,
                      unsigned seconds) {
  // A file rather than a pipe, so that a grandchild that keeps it open holds nobody up.
  std::FILE* output = std::tmpfile();
  std::vector<std::string> words = {"conclave_api_test", kOption + name};
  std::vector<std::string> settings;
  for (const auto& [key, value] : environment) settings.push_back(key + "=" + value);
  std::vector<std::string> variables = environment_with(settings);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers(words).data(),
                                pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  ChildResult result{error == 0 ? wait_for_child(child, seconds) : 126, ""};
  std::fseek(output, 0, SEEK_SET);
  char chunk[4096];
  while (size_t count = std::fread(chunk, 1, sizeof chunk, output)) {
    result.output.append(chunk, count);
  }
  std::fclose(output);
  return result;
}

std::vector<pid_t> children_of(pid_t parent) {
  return processes([=](pid_t pid) { return parent_of(pid) == parent; });
}

std::vector<pid_t> compile_servers(pid_t host) {
  std::string mark = std::string(kMark) + "=" + std::to_string(host);
  mark.push_back('\0');  // so that 12 is not found in 123
  return processes([&](pid_t pid) {
    if (pid == host || proc_file(pid, "cmdline").find("clocl") == std::string::npos) return false;
    return parent_of(pid) == host || proc_file(pid, "environ").find(mark) != std::string::npos;
  });
}

}  // namespace conclave::test
