// SPDX-License-Identifier: Apache-2.0
// Starts a program so that the host does not notice: the host gets no SIGCHLD when it ends, none of
// the host's wait() calls finds it, and it gets none of the host's descriptors.
//
// A child's exec() sets its termination signal back to SIGCHLD, whatever clone() was told, so the
// program cannot be a child of the host. Between the two stands a keeper: a child that never calls
// exec, has no termination signal, and waits for the program. It shares the host's memory like a
// vfork child, since copying the page tables of a large host takes long and pins its memory. So it
// runs nothing but system calls, on its own stack. Ending the keeper ends the program and its
// children.
#ifndef CONCLAVE_PLATFORM_LOADER_QUIET_PROCESS_H_
#define CONCLAVE_PLATFORM_LOADER_QUIET_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace conclave {

class QuietProcess {
 public:
  // Runs `path` with `arguments` (without the program's name). Its descriptor 3 is `socket`, 0 to 2
  // are /dev/null, and there are no others. Throws std::runtime_error if it cannot be started.
  QuietProcess(const std::string& path, const std::vector<std::string>& arguments, int socket);
  // Ends the program, if it still runs, and its children.
  ~QuietProcess();
  enum class Pace { kUsual, kWhenIdle };  // kWhenIdle: when a CPU has nothing else to do
  // Runs it as a process that nobody waits for and that outlives the host. Whoever adopts orphans
  // gets it.
  static void start_orphan(const std::string& path, const std::vector<std::string>& arguments,
                           int socket, Pace pace);
  // Whether this process would have to adopt an orphan. It then should start none.
  static bool adopts_orphans();
  QuietProcess(const QuietProcess&) = delete;
  QuietProcess& operator=(const QuietProcess&) = delete;

  // Waits at most that long for the program to end. Returns whether it has ended.
  bool wait(std::chrono::milliseconds limit);
  // How it ended, for a log: "signal 11", "exit status 1"; valid once wait() was true.
  std::string ending() const;
  // Whether it ended by itself, with exit status 0.
  bool ended_well() const { return ended_ && status_ == 0; }
  void kill();

 private:
  struct Plan;
  QuietProcess(const std::string& path, const std::vector<std::string>& arguments, int socket,
               bool is_orphan, Pace pace);
  void* stacks_ = nullptr;
  std::unique_ptr<Plan> plan_;
  pid_t keeper_ = -1;
  bool ended_ = false;
  int status_ = -1;  // wait status of the program as the keeper passes it on; -1: unknown
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_QUIET_PROCESS_H_
