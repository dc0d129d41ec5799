// SPDX-License-Identifier: Apache-2.0
// Processes that use OpenCL each on their own: this program, started again as `--role=NAME
// arguments...`. They talk by lines on standard input and output, and share a page of memory.
#ifndef CONCLAVE_TEST_COMMON_WORKER_PROCESS_H_
#define CONCLAVE_TEST_COMMON_WORKER_PROCESS_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "spawning.h"

namespace conclave::test {

// What a worker and the process that started it both see.
struct SharedPage {
  alignas(64) std::atomic<uint32_t> progress;  // what the worker has done; see spin_kernel.h
  alignas(64) std::atomic<uint32_t> stop;      // 1: the worker is to finish
};

// A setting with which each worker runs as a different user. Needs root.
inline constexpr char kEachAnotherUser[] = "CONCLAVE_TEST_USERS=1";
// A further setting, followed by a group's number: all these users are members of that group.
inline constexpr char kMembersOf[] = "CONCLAVE_TEST_GID=";

class WorkerProcess {
 public:
  // Starts this program in a role, with `settings` ("NAME=value") added to its environment. Throws
  // std::system_error if that fails.
  WorkerProcess(const std::string& role, const std::vector<std::string>& arguments,
                const std::vector<std::string>& settings = {});
  // Kills the process if it still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return pid_; }
  SharedPage& page() const { return *page_; }

  // Writes a line to the worker's standard input.
  void send(const std::string& line);
  // The next line of its standard output. Throws std::runtime_error if none comes within
  // `seconds` or the worker has ended.
  std::string receive(double seconds = 60);

  // If that stops the process, returns when it has stopped.
  void signal(int number) const;
  // Waits for its end: exit status, 128 + signal if a signal ended it. Throws std::runtime_error
  // if it has not ended within `seconds`.
  int wait(double seconds = 60);
  // Shows on standard error where its threads are, if there is a gdb.
  void print_stacks() const;
  // CPU time that the process has used so far, in seconds.
  double cpu_seconds() const;

 private:
  std::string name_;
  pid_t pid_ = 0;
  int status_ = -1;  // exit status, -1: not known yet
  int input_ = -1, output_ = -1;
  std::string unread_;
  SharedPage* page_ = nullptr;
};

// Sends a signal to a child of this process. If that stops it, returns when it has stopped.
void send_signal(pid_t child, int number);

// --- In the worker ---

using Arguments = std::vector<std::string>;
using Role = std::function<void(const Arguments&)>;

// Plays the role that the command line asks for. The exit status: 1, and the reason on standard
// error, if the role throws; -1 if no role is asked for.
int run_role(int argc, char** argv, const std::map<std::string, Role>& roles);

// The page that this worker shares with the process that started it.
SharedPage& shared_page();

// Writes a line to the process that started this worker.
void tell(const std::string& line);
// The next line from there. Throws std::runtime_error at the end of the conversation.
std::string listen();

// --- Time, common to all processes ---

// Nanoseconds of CLOCK_MONOTONIC.
int64_t now_ns();
void sleep_until(int64_t ns);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_WORKER_PROCESS_H_
