// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/build_limits.h"

#include <fcntl.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <new>
#include <string_view>

namespace conclave::compiler {
namespace {

// Enough for 100,000 operations in each other; the place that Linux leaves for a stack is twice
// that.
constexpr rlim_t kStackBytes = rlim_t{64} << 20;
// An access this near to the stack pointer was one to the stack.
constexpr uintptr_t kFrameBytes = 1 << 20;
constexpr size_t kHandlerStackBytes = 64 << 10;
constexpr rlim_t kSecondsToEnd = 5;  // between the first notice and the end by force

enum Excess : int { kMemory, kTime, kStack };
constexpr int kExcesses = 3;
constexpr int kFirstPartStatus = 100;  // the exit status of a part, and Excess added to it

// The text is prepared before the limit is reached, because nothing can be allocated then.
struct Ending {
  int descriptor = -1;
  bool is_part = false;
  std::array<std::string, kExcesses> messages;
};
Ending* ending = nullptr;  // never freed
void (*crash_handler)() = nullptr;

constexpr std::array<int, 5> kCrashes = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

[[noreturn]] void end_build(Excess excess) {
  if (ending->is_part) _exit(kFirstPartStatus + excess);
  for (std::string_view rest = ending->messages[excess]; !rest.empty();) {
    const ssize_t written = write(ending->descriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    rest.remove_prefix(static_cast<size_t>(written));
  }
  _exit(1);
}

void on_time_limit(int) {
  end_build(kTime);
}

uintptr_t stack_pointer(const void* context) {
#if defined(__x86_64__)
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  return static_cast<uintptr_t>(machine.gregs[REG_RSP]);
#else
  (void)context;
  return 0;
#endif
}

bool is_stack_overflow(int number, const siginfo_t& info, const void* context) {
  if (number != SIGSEGV || info.si_code <= 0) return false;
  const auto address = reinterpret_cast<uintptr_t>(info.si_addr);
  return address + kFrameBytes - stack_pointer(context) < 2 * kFrameBytes;
}

void on_crash(int number, siginfo_t* info, void* context) {
  if (is_stack_overflow(number, *info, context)) end_build(kStack);
  signal(number, SIG_DFL);
  if (crash_handler && !ending->is_part) crash_handler();
  raise(number);
}

// The signal is not blocked in its handler, so that it is not blocked in a program that this starts.
void handle_crashes() {
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : kCrashes) sigaction(number, &action, nullptr);
}

// The main thread's stack grows as far as the limit of now allows.
void enlarge_stack() {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(kStackBytes, limit.rlim_max));
  setrlimit(RLIMIT_STACK, &limit);
  static std::array<char, kHandlerStackBytes> handler_stack;
  const stack_t place = {
      .ss_sp = handler_stack.data(), .ss_flags = 0, .ss_size = kHandlerStackBytes};
  sigaltstack(&place, nullptr);
  handle_crashes();
}

// Returns the bytes that RLIMIT_DATA counts, and those of the stack.
uint64_t data_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

rlim_t data_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  return limit.rlim_cur;
}

// A limit that the user has set stays.
void set_data_limit(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
}

void limit_memory(uint64_t mib) {
  set_data_limit(std::min<rlim_t>(data_limit(), data_bytes() + (mib << 20)));
  std::set_new_handler([] { end_build(kMemory); });
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { end_build(kMemory); });
}

void limit_time(uint64_t seconds) {
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, seconds);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, seconds + kSecondsToEnd);
  setrlimit(RLIMIT_CPU, &limit);
  signal(SIGXCPU, on_time_limit);
}

}  // namespace

void be_first_to_be_killed() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  constexpr std::string_view kHighest = "1000";
  if (write(file, kHighest.data(), kHighest.size()) < 0) {
    // If that fails, the system ends this process as readily as others.
  }
  close(file);
}

void limit_build(const BuildLimits& limits, int descriptor,
                 const std::function<std::string(const std::string& reason)>& message_for) {
  be_first_to_be_killed();
  ending = new Ending;
  ending->descriptor = descriptor;
  ending->messages[kMemory] =
      message_for("the build needs more than " + std::to_string(limits.memory_mib) +
                  " MiB of memory (compile-memory-mib, CONCLAVE_COMPILE_MEMORY_MIB) and was ended");
  ending->messages[kTime] =
      message_for("the build takes more than " + std::to_string(limits.cpu_seconds) +
                  " s of CPU time (compile-timeout-s, CONCLAVE_COMPILE_TIMEOUT_S) and was ended");
  ending->messages[kStack] =
      message_for("the program is nested too deeply: the compiler's stack is full");
  enlarge_stack();
  if (limits.memory_mib) limit_memory(limits.memory_mib);
  if (limits.cpu_seconds) limit_time(limits.cpu_seconds);
}

void call_at_crash(void (*handler)()) {
  crash_handler = handler;
}

uint64_t memory_left() {
  const rlim_t limit = data_limit();
  if (limit == RLIM_INFINITY) return UINT64_MAX;
  return limit - std::min<rlim_t>(limit, data_bytes());
}

SharedMemoryLimit::SharedMemoryLimit(uint64_t count) : before_(data_limit()) {
  if (const uint64_t left = memory_left(); left != UINT64_MAX)
    set_data_limit(before_ - left + left / std::max<uint64_t>(count, 1));
}

SharedMemoryLimit::~SharedMemoryLimit() {
  set_data_limit(before_);
}

void become_part_of_build() {
  if (ending) ending->is_part = true;
}

void end_as_part_did(int status) {
  const int excess = WIFEXITED(status) ? WEXITSTATUS(status) - kFirstPartStatus : -1;
  if (ending && excess >= 0 && excess < kExcesses) end_build(static_cast<Excess>(excess));
}

bool is_crash(int status) {
  return WIFSIGNALED(status) && std::ranges::find(kCrashes, WTERMSIG(status)) != kCrashes.end();
}

}  // namespace conclave::compiler
