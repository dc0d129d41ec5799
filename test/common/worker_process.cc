// SPDX-License-Identifier: Apache-2.0
#include "worker_process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <system_error>

namespace conclave::test {
namespace {

constexpr char kOption[] = "--role=";
// In a worker's environment: the user to become.
constexpr char kUser[] = "CONCLAVE_TEST_UID";
constexpr uid_t kFirstUser = 60'000;
constexpr int kPageDescriptor = 3;  // in the worker

int checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

SharedPage* map_page(int descriptor) {
  void* page = mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return static_cast<SharedPage*>(page);
}

// Milliseconds from now for poll(), rounded up.
int milliseconds_until(int64_t ns) {
  return static_cast<int>(std::max<int64_t>(0, (ns - now_ns() + 999'999) / 1'000'000));
}

int64_t after(double seconds) {
  return now_ns() + static_cast<int64_t>(seconds * 1e9);
}

// A different user for each worker, if the settings say so.
std::string next_user() {
  static std::atomic<uid_t> next{kFirstUser};
  return std::string(kUser) + "=" + std::to_string(next++);
}

void become_user() {
  const char* user = getenv(kUser);
  if (!user) return;
  const auto id = static_cast<uid_t>(std::atoi(user));
  const char* number = getenv(std::string(kMembersOf, std::strlen(kMembersOf) - 1).c_str());
  const auto group = static_cast<gid_t>(number ? std::atoi(number) : 0);
  checked(setgroups(number ? 1 : 0, &group), "setgroups");
  checked(setresgid(id, id, id), "setresgid");
  checked(setresuid(id, id, id), "setresuid");
  // As in a program that this user has started.
  checked(prctl(PR_SET_DUMPABLE, 1), "prctl");
}

}  // namespace

void send_signal(pid_t child, int number) {
  checked(kill(child, number), "kill");
  // Only looks: the end must remain visible to others that wait for the process.
  siginfo_t seen;
  if (number == SIGSTOP)
    checked(waitid(P_PID, static_cast<id_t>(child), &seen, WSTOPPED | WEXITED | WNOWAIT), "waitid");
}

WorkerProcess::WorkerProcess(const std::string& role, const std::vector<std::string>& arguments,
                             const std::vector<std::string>& settings)
    : name_(role) {
  const int memory = checked(memfd_create("worker", MFD_CLOEXEC), "memfd_create");
  checked(ftruncate(memory, sizeof(SharedPage)), "ftruncate");
  page_ = map_page(memory);
  int to_worker[2], from_worker[2];
  checked(pipe2(to_worker, O_CLOEXEC), "pipe2");
  checked(pipe2(from_worker, O_CLOEXEC), "pipe2");
  input_ = to_worker[1];
  output_ = from_worker[0];

  std::vector<std::string> words = {program_invocation_short_name, kOption + role};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = environment_with(settings);
  if (std::count(settings.begin(), settings.end(), kEachAnotherUser))
    environment.push_back(next_user());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_worker[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_worker[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, memory, kPageDescriptor);
  const int error = posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, pointers(words).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(to_worker[0]);
  close(from_worker[1]);
  close(memory);
  if (error != 0) throw std::system_error(error, std::generic_category(), "posix_spawn");
}

WorkerProcess::~WorkerProcess() {
  close(input_);
  close(output_);
  if (status_ < 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  munmap(page_, sizeof(SharedPage));
}

void WorkerProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  if (write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), "writing to a worker");
}

std::string WorkerProcess::receive(double seconds) {
  const int64_t deadline = after(seconds);
  for (;;) {
    if (const size_t end = unread_.find('\n'); end != std::string::npos) {
      const std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd waiting = {output_, POLLIN, 0};
    if (poll(&waiting, 1, milliseconds_until(deadline)) == 0)
      throw std::runtime_error("the worker '" + name_ + "' has said nothing for " +
                               std::to_string(seconds) + " s");
    char block[4096];
    const ssize_t size = read(output_, block, sizeof block);
    if (size <= 0)
      throw std::runtime_error("the worker '" + name_ + "' ended with status " +
                               std::to_string(wait()));
    unread_.append(block, static_cast<size_t>(size));
  }
}

void WorkerProcess::signal(int number) const {
  send_signal(pid_, number);
}

int WorkerProcess::wait(double seconds) {
  if (status_ >= 0) return status_;
  const int descriptor = checked(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)), "pidfd_open");
  pollfd waiting = {descriptor, POLLIN, 0};
  const int ended = poll(&waiting, 1, milliseconds_until(after(seconds)));
  close(descriptor);
  if (ended <= 0)
    throw std::runtime_error("the worker '" + name_ + "' has not ended for " +
                             std::to_string(seconds) + " s");
  int status = 0;
  checked(waitpid(pid_, &status, 0), "waitpid");
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

void WorkerProcess::print_stacks() const {
  const std::string command = "gdb -p " + std::to_string(pid_) +
                              " -batch -ex 'thread apply all bt' 2>&1 | grep -v '^\\[New' >&2";
  if (std::system(command.c_str()) != 0) std::fprintf(stderr, "no gdb\n");
}

double WorkerProcess::cpu_seconds() const {
  clockid_t clock = 0;
  timespec time = {};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0)
    throw std::runtime_error("the worker '" + name_ + "' has ended too early");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int run_role(int argc, char** argv, const std::map<std::string, Role>& roles) {
  if (argc < 2 || std::strncmp(argv[1], kOption, std::strlen(kOption)) != 0) return -1;
  const std::string name = argv[1] + std::strlen(kOption);
  try {
    become_user();
    // Whatever happens to the process that started this one: no worker runs on.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    roles.at(name)(Arguments(argv + 2, argv + argc));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s (%s): %s\n", name.c_str(), program_invocation_short_name,
                 error.what());
    return 1;
  }
}

SharedPage& shared_page() {
  static SharedPage* const page = map_page(kPageDescriptor);
  return *page;
}

void tell(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::string listen() {
  std::string line;
  if (!std::getline(std::cin, line)) throw std::runtime_error("nobody talks to this worker");
  return line;
}

int64_t now_ns() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

void sleep_until(int64_t ns) {
  const timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

}  // namespace conclave::test
