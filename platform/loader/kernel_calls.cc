// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/kernel_calls.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "platform/base/clock.h"
#include "platform/loader/call_registry.h"

namespace conclave {
namespace {

// What the current thread is in; its signal handler reads it.
struct ThreadState {
  KernelCall* call = nullptr;
  TeamThreads::Member* member = nullptr;
  int holds = 0;
};
thread_local ThreadState t_state;

struct sigaction host_action;

[[noreturn]] void stop_for_good(TeamThreads::Member& member) {
  member.stopped.store(true);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  for (;;) pause();
}

// Not inlined: a function cannot jump to itself.
[[noreturn, gnu::noinline]] void jump_out(KernelCall& call) {
  __builtin_longjmp(call.place, 1);
}

uintptr_t program_counter(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#else
  return machine.pc;
#endif
}

// The host may have had a handler for this signal.
void chain(int number, siginfo_t* info, void* context) {
  if (info->si_code == SI_TKILL && info->si_pid == getpid()) return;  // ours
  if (host_action.sa_flags & SA_SIGINFO)
    host_action.sa_sigaction(number, info, context);
  else if (host_action.sa_handler != SIG_DFL && host_action.sa_handler != SIG_IGN)
    host_action.sa_handler(number);
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int error = errno;
  const uintptr_t at = program_counter(context);
  if (TeamThreads::Member* member = t_state.member) {
    member->reminded.store(false);
    const TeamThreads& team = *member->team.load();
    const uint64_t since = team.stopped_at_ns.load();
    if (since && t_state.holds == 0 && (team.code.has(at) || now_ns() - since >= kGraceNs))
      stop_for_good(*member);
  }
  KernelCall* call = t_state.call;
  if (call) call->reminded.store(false);
  if (call && call->wanted.load() && t_state.holds == 0 &&
      (call->site.code.has(at) || call->forced.load()))
    jump_out(*call);
  chain(number, info, context);
  errno = error;
}

// Of the signals that are free for all, the last that the host does not use.
int install_handler() {
  int number = SIGRTMAX;
  for (; number > SIGRTMIN; --number)
    if (sigaction(number, nullptr, &host_action) == 0 && host_action.sa_handler == SIG_DFL) break;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  // Nothing is blocked in the handler, so that it can be left by a jump.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  sigaction(number, &action, &host_action);
  CallRegistry::get().start(number);
  return number;
}

// Workers have all signals blocked.
void accept_signal() {
  static const int number = install_handler();
  thread_local const bool done = [] {
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, number);
    return pthread_sigmask(SIG_UNBLOCK, &ours, nullptr) == 0;
  }();
  (void)done;
}

}  // namespace

void TeamThreads::join() {
  accept_signal();
  if (!t_state.member) t_state.member = new Member;
  CallRegistry::get().add_member(*this, *t_state.member);
}

void TeamThreads::stop(const CodeRange& range) {
  code = range;
  CallRegistry::get().stop(*this);
}

namespace kernel_calls {

Departure run(const Site& site, void (*function)(void*), void* argument) {
  accept_signal();
  KernelCall call(site);
  call.outer = t_state.call;
  if (!CallRegistry::get().add(call)) return call.departure;
#if defined(__x86_64__)
  const unsigned float_control = _mm_getcsr();
#endif
  if (__builtin_setjmp(call.place) == 0) {
    t_state.call = &call;
    function(argument);
    t_state.call = call.outer;
    CallRegistry::get().remove(call);
    return {};
  }
#if defined(__x86_64__)
  _mm_setcsr(float_control);
#endif
  t_state.call = call.outer;
  t_state.holds = 0;
  CallRegistry::get().remove(call);
  return call.departure;
}

void leave(int status, int exit_code) {
  const Departure departure{status, exit_code};
  ++t_state.holds;
  if (KernelCall* call = t_state.call) {
    CallRegistry::get().depart(*call, departure);
    jump_out(*call);
  }
  if (TeamThreads::Member* member = t_state.member) {
    CallRegistry::get().depart(*member->team.load(), departure);
    stop_for_good(*member);
  }
  fputs("conclave: a thread that a kernel's C code made called abort() or exit()\n", stderr);
  ::abort();
}

Hold::Hold() {
  ++t_state.holds;
}

Hold::~Hold() {
  --t_state.holds;
}

}  // namespace kernel_calls
}  // namespace conclave
