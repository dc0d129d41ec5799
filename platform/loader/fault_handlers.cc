// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/fault_handlers.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <iterator>
#include <mutex>

namespace conclave::fault_handlers {
namespace {

// A host that installs its handlers again and again, each on top of ours, is followed so often.
constexpr int kMostHostHandlers = 8;

// How long a handler that the host has installed since the last look may stay on top. The clock
// that this is measured by ticks every few milliseconds.
constexpr int64_t kLookEveryNs = 1'000'000;

// Room for the handlers of virtual machines and sanitizers, which write reports.
constexpr size_t kAlternateStackBytes = 128 << 10;

// What the host had installed for one signal, the oldest first. Entries are written once, before
// `count` counts them.
struct HostHandlers {
  std::array<struct sigaction, kMostHostHandlers> actions;
  std::atomic<int> count{0};
};
HostHandlers g_host[std::size(kSignals)];
std::atomic<LeaveKernel> g_leave_kernel{nullptr};
std::atomic<int64_t> g_next_look_ns{0};

HostHandlers& host_handlers(int number) {
  for (size_t i = 0; i < std::size(kSignals); ++i)
    if (kSignals[i] == number) return g_host[i];
  __builtin_unreachable();
}

// A thread that is in a handler of the host. That handler may hand the fault on to the one that it
// found when it was installed, which is ours; then it is the turn of the host's next older handler.
// Not thread_local: a thread's first access to such a variable may allocate memory.
class Passing {
 public:
  // Null where more threads are in handlers at the same moment than there is room for.
  static Passing* of_this_thread() {
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    for (Passing& passing : all_)
      if (passing.thread_.load() == self) return &passing;
    for (Passing& passing : all_) {
      pid_t nobody = 0;
      if (passing.thread_.compare_exchange_strong(nobody, self)) {
        passing.level_ = -1;
        return &passing;
      }
    }
    return nullptr;
  }

  // How many handlers of the host have had this fault. A handler hands a fault on by a call, with
  // the same context, or by raising the signal; its frame is then still on the stack, above
  // `frame`, the present one. It may also have left by a jump, some time ago.
  int enter(const siginfo_t& info, const void* context, const void* frame) {
    const bool handed_on =
        level_ >= 0 && frame < frame_ && (info.si_code <= 0 || context == context_);
    level_ = handed_on ? level_ + 1 : 0;
    context_ = context;
    frame_ = frame;
    return level_;
  }
  void leave() {
    if (--level_ < 0) thread_.store(0);
  }

 private:
  static std::array<Passing, 64> all_;

  std::atomic<pid_t> thread_{0};
  int level_ = -1;
  const void* context_ = nullptr;
  const void* frame_ = nullptr;
};
std::array<Passing, 64> Passing::all_;

// Ends the process as the signal would have without any handler: at the same instruction.
void end_by(int number, bool is_fault) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(number, &standard, nullptr);
  if (is_fault) return;  // the instruction runs again
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

// As the system would call it.
void call(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  sigset_t blocked = action.sa_mask, before;
  if (!(action.sa_flags & SA_NODEFER)) sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(number, info, context);
  else
    action.sa_handler(number);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void hand_on(int number, siginfo_t* info, void* context) {
  const HostHandlers& host = host_handlers(number);
  Passing* passing = Passing::of_this_thread();
  const int level = passing ? passing->enter(*info, context, __builtin_frame_address(0)) : 0;
  const int index = host.count.load(std::memory_order_acquire) - 1 - level;
  const bool is_fault = info->si_code > 0;
  if (index < 0 || host.actions[static_cast<size_t>(index)].sa_handler == SIG_DFL) {
    end_by(number, is_fault);
  } else if (const struct sigaction& action = host.actions[static_cast<size_t>(index)];
             action.sa_handler != SIG_IGN) {
    call(action, number, info, context);
  } else if (is_fault) {
    end_by(number, is_fault);  // a fault cannot be ignored
  }
  if (passing) passing->leave();
}

void on_fault(int number, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code > 0) g_leave_kernel.load()(number, *info, context);
  hand_on(number, info, context);
  errno = error;
}

// Puts our handler on top of the host's, unless it is there.
void install_for(int number) {
  HostHandlers& host = host_handlers(number);
  struct sigaction present;
  if (sigaction(number, nullptr, &present) != 0) return;
  if (present.sa_flags & SA_SIGINFO && present.sa_sigaction == on_fault) return;
  const int count = host.count.load();
  if (count == kMostHostHandlers) return;
  const auto known = [&] {
    return count > 0 &&
           host.actions[static_cast<size_t>(count - 1)].sa_sigaction == present.sa_sigaction;
  };
  if (!known()) {
    host.actions[static_cast<size_t>(count)] = present;
    host.count.store(count + 1, std::memory_order_release);
  }
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  // Nothing is blocked in the handler, so that it can be left by a jump.
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  sigaction(number, &ours, nullptr);
}

}  // namespace

void install_if_due(LeaveKernel leave_kernel) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t now_ns = now.tv_sec * 1'000'000'000 + now.tv_nsec;
  if (now_ns < g_next_look_ns.load(std::memory_order_acquire)) [[likely]]
    return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  g_leave_kernel.store(leave_kernel);
  for (const int number : kSignals) install_for(number);
  g_next_look_ns.store(now_ns + kLookEveryNs, std::memory_order_release);
}

void use_alternate_stack() {
  stack_t present;
  if (sigaltstack(nullptr, &present) != 0 || !(present.ss_flags & SS_DISABLE)) return;
  void* memory = mmap(nullptr, kAlternateStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;  // an overflow of the stack then ends the process, as it would
  const stack_t stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kAlternateStackBytes};
  if (sigaltstack(&stack, nullptr) != 0) munmap(memory, kAlternateStackBytes);
}

}  // namespace conclave::fault_handlers
