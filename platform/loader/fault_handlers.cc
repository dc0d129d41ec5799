// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/fault_handlers.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>

namespace conclave::fault_handlers {
namespace {

// How many handlers a host may install one after the other, each on top of ours.
constexpr int kMostHostHandlers = 8;

// How long a handler that the host has installed since the last look may stay on top. The clock
// behind it ticks every few milliseconds.
constexpr int64_t kLookEveryNs = 1'000'000;

// Room for the handlers of virtual machines and sanitizers, which write reports.
constexpr size_t kAlternateStackBytes = 128 << 10;

// What the host has installed for one signal, the oldest first. Handlers read this at any moment,
// so the content of `actions` does not change.
struct HostHandlers {
  std::array<std::atomic<const struct sigaction*>, kMostHostHandlers> actions{};
  int count = 0;
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
// found when it was installed, which is ours. Then it is the turn of the host's next older handler.
// on_fault's level tells which that is, except if a host has installed one handler twice and so has
// found ours above its own. Not thread_local: a thread's first access to such a variable may
// allocate memory.
class Passing {
 public:
  struct Turn {
    int handler = -1;  // an index of HostHandlers::actions
    const void* context = nullptr;
    const void* frame = nullptr;
  };

  // Null if more threads are in handlers at the same moment than there is room for.
  static Passing* of_this_thread() {
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    for (Passing& passing : all_)
      if (passing.thread_.load() == self) return &passing;
    for (Passing& passing : all_) {
      pid_t nobody = 0;
      if (passing.thread_.compare_exchange_strong(nobody, self)) {
        passing.turn_ = {};
        return &passing;
      }
    }
    return nullptr;
  }

  // The turn before that of `next`, whose handler becomes an older one if it has had this fault. A
  // handler hands a fault on by a call, with the same context, or by raising the signal; its frame
  // is then still on the stack, above the present one. It may also have left by a jump some time
  // ago.
  Turn begin(Turn& next, const siginfo_t& info) {
    const bool handed_on = turn_.handler >= 0 && next.frame < turn_.frame &&
                           (info.si_code <= 0 || next.context == turn_.context);
    const Turn before = handed_on ? turn_ : Turn{};
    if (handed_on) next.handler = std::min(next.handler, turn_.handler - 1);
    turn_ = next;
    return before;
  }
  void end(const Turn& before) {
    turn_ = before;
    if (before.handler < 0) thread_.store(0);
  }

 private:
  static std::array<Passing, 64> all_;

  std::atomic<pid_t> thread_{0};
  Turn turn_;
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

// Calls the handler as the system would.
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

// Hands the fault on to the newest of the host's `count` oldest handlers.
void hand_on(int count, int number, siginfo_t* info, void* context) {
  Passing::Turn turn = {count - 1, context, __builtin_frame_address(0)};
  Passing* passing = Passing::of_this_thread();
  const Passing::Turn before = passing ? passing->begin(turn, *info) : Passing::Turn{};
  const struct sigaction* action =
      turn.handler < 0 ? nullptr
                       : host_handlers(number).actions[static_cast<size_t>(turn.handler)].load();
  const bool is_fault = info->si_code > 0;
  if (!action || action->sa_handler == SIG_DFL) {
    end_by(number, is_fault);
  } else if (action->sa_handler != SIG_IGN) {
    call(*action, number, info, context);
  } else if (is_fault) {
    end_by(number, is_fault);  // a fault cannot be ignored
  }
  if (passing) passing->end(before);
}

// Our handler, on top of so many of the host's. Each number has a function of its own, because a
// host that removes its handler puts back the one of ours that it had found. That one must not call
// the host's newer handlers, which are not installed any more. Python's faulthandler, for example,
// returns at once after it has been disabled, and the fault would come again for ever.
template <int kHostHandlers>
void on_fault(int number, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code > 0) g_leave_kernel.load()(number, *info, context);
  hand_on(kHostHandlers, number, info, context);
  errno = error;
}

using Handler = void (*)(int, siginfo_t*, void*);
constexpr auto kOurs = []<size_t... kCounts>(std::index_sequence<kCounts...>) {
  return std::array<Handler, sizeof...(kCounts)>{on_fault<kCounts>...};
}(std::make_index_sequence<kMostHostHandlers + 1>());

bool is_same(const struct sigaction& one, const struct sigaction& other) {
  return one.sa_sigaction == other.sa_sigaction && one.sa_flags == other.sa_flags;
}

// Where `action` is kept for ever; null if there is no room. Called under install_if_due's lock.
const struct sigaction* kept(const struct sigaction& action) {
  static std::array<struct sigaction, 4 * kMostHostHandlers> all;
  static size_t count = 0;
  for (size_t i = 0; i < count; ++i)
    if (is_same(all[i], action)) return &all[i];
  if (count == all.size()) return nullptr;
  all[count] = action;
  return &all[count++];
}

// Counts `present`, which the host has installed on top of ours; false if there is no room.
bool add(HostHandlers& host, const struct sigaction& present) {
  const auto at = [&](int i) { return host.actions[static_cast<size_t>(i)].load(); };
  if (host.count > 0 && is_same(*at(host.count - 1), present)) return true;
  if (host.count == kMostHostHandlers) {
    // The host switches between handlers, and this one was there before.
    while (host.count > 0 && !is_same(*at(host.count - 1), present)) --host.count;
    if (host.count > 0) return true;
    host.count = kMostHostHandlers;
    return false;
  }
  const struct sigaction* action = kept(present);
  if (!action) return false;
  host.actions[static_cast<size_t>(host.count++)].store(action);
  return true;
}

// Puts our handler on top of the host's, unless it is there.
void install_for(int number) {
  HostHandlers& host = host_handlers(number);
  struct sigaction present;
  if (sigaction(number, nullptr, &present) != 0) return;
  const auto ours = std::find(kOurs.begin(), kOurs.end(), present.sa_sigaction);
  if (present.sa_flags & SA_SIGINFO && ours != kOurs.end()) {
    host.count = static_cast<int>(ours - kOurs.begin());
    return;
  }
  if (!add(host, present)) return;
  struct sigaction action = {};
  action.sa_sigaction = kOurs[static_cast<size_t>(host.count)];
  // The handler blocks nothing, so that it can be left by a jump.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  sigaction(number, &action, nullptr);
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
  if (memory == MAP_FAILED) return;  // a stack overflow then ends the process, as it would anyway
  const stack_t stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kAlternateStackBytes};
  if (sigaltstack(&stack, nullptr) != 0) munmap(memory, kAlternateStackBytes);
}

}  // namespace conclave::fault_handlers
