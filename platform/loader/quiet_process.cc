// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/quiet_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <stdexcept>
#include <string_view>
#include <thread>

#include "platform/base/descriptor.h"
#include "platform/loader/raw_process.h"

extern char** environ;

namespace conclave {

// What keeper and program need. It does not change until the keeper has ended.
struct QuietProcess::Plan {
  std::vector<std::string> texts;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* path;
  int socket;
  int report;             // the keeper writes here how the start went
  char* program_stack;    // end of it
  unsigned long max_fds;  // for kernels without close_range
  bool is_orphan;         // nobody keeps the program
  Pace pace;
  int error = 0;  // errno of what went wrong in the program's child
};

namespace {

constexpr size_t kStackSize = 64 * 1024;
constexpr int kProgramSocket = 3;
constexpr int kFirstFreeFd = 10;  // above everything the program gets
constexpr int kSignals = 64;
constexpr int kKilledBySignal = 128;  // added by the keeper to a signal's number, as shells do
constexpr pid_t kFirstProcess = 1;
constexpr auto kStartLimit = std::chrono::seconds(10);

[[noreturn]] void cannot_start(const std::string& path, int error) {
  throw std::runtime_error("cannot start " + path + ": " + strerror(error));
}

// What the program must not get from the host's environment: libraries (sanitizers, allocators,
// tracers) that were preloaded for the host alone, what glibc should do for it, and search paths
// that would change what a compiler reads although the request does not say so.
bool keep_variable(std::string_view variable) {
  for (std::string_view name : {"LD_PRELOAD=", "LD_AUDIT=", "GLIBC_TUNABLES=", "CPATH=",
                                "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH=", "OBJC_INCLUDE_PATH="})
    if (variable.starts_with(name)) return false;
  return true;
}

// A compiler frees long runs of blocks and soon wants as many of the same sizes. glibc keeps seven
// of a size at hand, unless it is told otherwise before the program starts.
constexpr char kHeap[] = "GLIBC_TUNABLES=glibc.malloc.tcache_count=2000";

// Valgrind knows no children that share memory and outlive the call, so there the keeper is a copy.
bool under_valgrind() {
  const char* preload = getenv("LD_PRELOAD");
  return preload && strstr(preload, "vgpreload") != nullptr;
}

// From here on, code that runs beside the host: system calls only.

CONCLAVE_BARE_CODE void close_fds(unsigned long first, unsigned long last, unsigned long max_fds) {
  if (first > last) return;
  if (raw::call(SYS_close_range, static_cast<long>(first), static_cast<long>(last), 0) == 0) return;
  for (unsigned long fd = first; fd <= last && fd < max_fds; ++fd)
    raw::call(SYS_close, static_cast<long>(fd));
}

// The kernel's signal set and struct sigaction; glibc's differ in layout.
using SignalSet = unsigned long;
constexpr SignalSet kAllSignals = ~0ul;
constexpr SignalSet bit(int signal) {
  return SignalSet{1} << (signal - 1);
}

CONCLAVE_BARE_CODE void set_default_action(long signal) {
  static const long action[4] = {0, 0, 0, 0};
  raw::call(SYS_rt_sigaction, signal, reinterpret_cast<long>(action), 0, sizeof(SignalSet));
}

CONCLAVE_BARE_CODE void work_when_idle() {
  static const sched_param none = {};
  raw::call(SYS_sched_setscheduler, 0, SCHED_IDLE, reinterpret_cast<long>(&none));
}

template <class Plan>
CONCLAVE_BARE_CODE int run_program(void* argument) {
  auto* plan = static_cast<Plan*>(argument);
  for (long signal = 1; signal <= kSignals; ++signal) set_default_action(signal);
  const SignalSet nothing = 0;
  raw::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&nothing), 0, sizeof nothing);
  raw::call(SYS_setpgid, 0, 0);  // so that the keeper can end it with all its children
  if (plan->pace == QuietProcess::Pace::kWhenIdle) work_when_idle();
  if (!plan->is_orphan) raw::call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  const long result = raw::call(SYS_execve, reinterpret_cast<long>(plan->path),
                                reinterpret_cast<long>(plan->arguments.data()),
                                reinterpret_cast<long>(plan->environment.data()));
  plan->error = static_cast<int>(-result);
  return 127;
}

// Puts the socket at its place and closes everything but the report. Returns the report's new
// number, or -errno.
CONCLAVE_BARE_CODE long arrange_fds(int socket, int report, unsigned long max_fds) {
  const long moved_socket = raw::call(SYS_fcntl, socket, F_DUPFD_CLOEXEC, kFirstFreeFd);
  const long moved_report = raw::call(SYS_fcntl, report, F_DUPFD_CLOEXEC, kFirstFreeFd);
  static const char null_device[] = "/dev/null";
  const long null =
      raw::call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(null_device), O_RDWR | O_CLOEXEC);
  if (moved_socket < 0) return moved_socket;
  if (moved_report < 0) return moved_report;
  if (null < 0) return null;
  const long moved_null = raw::call(SYS_fcntl, null, F_DUPFD_CLOEXEC, kFirstFreeFd);
  if (moved_null < 0) return moved_null;
  for (long fd = 0; fd < kProgramSocket; ++fd) {
    const long result = raw::call(SYS_dup3, moved_null, fd, 0);
    if (result < 0) return result;
  }
  const long result = raw::call(SYS_dup3, moved_socket, kProgramSocket, 0);
  if (result < 0) return result;
  const auto kept = static_cast<unsigned long>(moved_report);
  close_fds(kProgramSocket + 1, kept - 1, max_fds);
  close_fds(kept + 1, ~0u, max_fds);
  return moved_report;
}

// Waits for the program and ends its children that are left. SIGTERM ends the program. Returns the
// keeper's exit status.
CONCLAVE_BARE_CODE int wait_for_program(long program) {
  const SignalSet events = bit(SIGCHLD) | bit(SIGTERM);
  for (;;) {
    const long signal =
        raw::call(SYS_rt_sigtimedwait, reinterpret_cast<long>(&events), 0, 0, sizeof events);
    // Not reaped yet, so its number, and its group's, is still its own.
    if (signal == SIGTERM) raw::call(SYS_kill, -program, SIGKILL);
    siginfo_t info;
    info.si_pid = 0;
    raw::call(SYS_waitid, P_PID, program, reinterpret_cast<long>(&info),
              WEXITED | WNOHANG | WNOWAIT, 0);
    if (info.si_pid == program) break;
  }
  raw::call(SYS_kill, -program, SIGKILL);
  int status = 0;
  raw::call(SYS_wait4, program, reinterpret_cast<long>(&status), __WALL, 0);
  while (raw::call(SYS_wait4, -1, 0, __WALL, 0) > 0) {
  }
  return WIFSIGNALED(status) ? kKilledBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

template <class Plan>
CONCLAVE_BARE_CODE int keep(void* argument) {
  auto* plan = static_cast<Plan*>(argument);
  // Leaves the terminal's process group: no ^C, no job control. It does not make a session. Linux
  // shares CPU time between sessions first (autogroups), and a build is part of its host's work.
  // Linux 6.18 lets new sessions starve for a minute beside one whose threads sleep and wake very
  // often.
  raw::call(SYS_setpgid, 0, 0);
  set_default_action(SIGCHLD);  // if the host ignores it, nobody could wait for the program
  // Orphans of the program come here, and not to a host that adopts orphans.
  if (!plan->is_orphan) raw::call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1);
  const long report = arrange_fds(plan->socket, plan->report, plan->max_fds);
  if (report < 0) {
    const int error = static_cast<int>(-report);
    raw::call(SYS_write, plan->report, reinterpret_cast<long>(&error), sizeof error);
    return 127;
  }
  const long program =
      raw::clone(CLONE_VM | CLONE_VFORK | SIGCHLD, plan->program_stack, run_program<Plan>, plan);
  const int error = program < 0 ? static_cast<int>(-program) : plan->error;
  raw::call(SYS_write, report, reinterpret_cast<long>(&error), sizeof error);
  close_fds(0, ~0u, plan->max_fds);
  // The thread that started the keeper continues here; its thread-local storage must not be used.
  if (program < 0) return 127;
  return plan->is_orphan ? 0 : wait_for_program(program);
}

}  // namespace

QuietProcess::QuietProcess(const std::string& path, const std::vector<std::string>& arguments,
                           int socket)
    : QuietProcess(path, arguments, socket, false, Pace::kUsual) {}

void QuietProcess::start_orphan(const std::string& path, const std::vector<std::string>& arguments,
                                int socket, Pace pace) {
  QuietProcess(path, arguments, socket, true, pace).wait(kStartLimit);
}

bool QuietProcess::adopts_orphans() {
  int is_subreaper = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
  return is_subreaper != 0 || getpid() == kFirstProcess;
}

QuietProcess::QuietProcess(const std::string& path, const std::vector<std::string>& arguments,
                           int socket, bool is_orphan, Pace pace)
    : plan_(std::make_unique<Plan>()) {
  plan_->is_orphan = is_orphan;
  plan_->pace = pace;
  plan_->texts.push_back(path);
  plan_->texts.insert(plan_->texts.end(), arguments.begin(), arguments.end());
  const size_t argument_count = plan_->texts.size();
  for (char** variable = environ; variable && *variable; ++variable)
    if (keep_variable(*variable)) plan_->texts.emplace_back(*variable);
  plan_->texts.emplace_back(kHeap);
  for (size_t i = 0; i < plan_->texts.size(); ++i)
    (i < argument_count ? plan_->arguments : plan_->environment).push_back(plan_->texts[i].data());
  plan_->arguments.push_back(nullptr);
  plan_->environment.push_back(nullptr);
  plan_->path = plan_->texts[0].c_str();
  plan_->socket = socket;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  plan_->max_fds = limit.rlim_cur;

  auto [ours, theirs] = make_socket_pair();
  plan_->report = theirs.get();
  stacks_ = mmap(nullptr, 2 * kStackSize, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (stacks_ == MAP_FAILED) cannot_start(path, errno);
  char* keeper_stack = static_cast<char*>(stacks_) + kStackSize;
  plan_->program_stack = keeper_stack + kStackSize;

  // The keeper has all signals blocked, so it never runs a handler of the host.
  SignalSet before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kAllSignals, &before, sizeof before);
  const long result =
      raw::clone(under_valgrind() ? 0 : CLONE_VM, keeper_stack, keep<Plan>, plan_.get());
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  theirs.close();
  int error = result < 0 ? static_cast<int>(-result) : EIO;
  if (result > 0) {
    keeper_ = static_cast<pid_t>(result);
    const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
    pollfd ready{ours.get(), POLLIN, 0};
    while (poll(&ready, 1, 1000) <= 0 && std::chrono::steady_clock::now() < deadline) {
    }
    if (ready.revents & (POLLIN | POLLHUP) &&
        read(ours.get(), &error, sizeof error) != sizeof error)
      error = EIO;
  }
  if (error == 0) return;
  kill();
  munmap(stacks_, 2 * kStackSize);
  cannot_start(path, error);
}

QuietProcess::~QuietProcess() {
  kill();
  munmap(stacks_, 2 * kStackSize);
}

bool QuietProcess::wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  auto pause = std::chrono::microseconds(100);
  while (!ended_) {
    int status = 0;
    const pid_t result = waitpid(keeper_, &status, __WALL | WNOHANG);
    if (result == keeper_) {
      ended_ = true;
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : kKilledBySignal + WTERMSIG(status);
    } else if (result < 0 && errno == ECHILD) {
      ended_ = true;  // the host has reaped it, with __WALL; its status is lost
    } else if (std::chrono::steady_clock::now() >= deadline) {
      return false;
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(2 * pause, std::chrono::milliseconds(5));
    }
  }
  return true;
}

std::string QuietProcess::ending() const {
  if (status_ < 0) return "unknown reason";
  if (status_ > kKilledBySignal) return "signal " + std::to_string(status_ - kKilledBySignal);
  return "exit status " + std::to_string(status_);
}

void QuietProcess::kill() {
  if (keeper_ <= 0 || wait(std::chrono::milliseconds(0))) return;
  // The keeper is not reaped yet, so the number is its own.
  ::kill(keeper_, SIGTERM);
  if (wait(std::chrono::seconds(1))) return;
  ::kill(keeper_, SIGKILL);
  wait(std::chrono::seconds(10));
}

}  // namespace conclave
