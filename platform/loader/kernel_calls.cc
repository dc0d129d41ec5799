// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/kernel_calls.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <utility>

#include "CL/cl_ext_conclave.h"
#include "platform/base/align.h"
#include "platform/base/clock.h"
#include "platform/base/float_environment.h"
#include "platform/base/thread_exit.h"
#include "platform/loader/call_registry.h"
#include "platform/loader/fault_handlers.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace conclave {
namespace {

// What the current thread is doing; its signal handlers read it.
struct ThreadState {
  KernelCall* call = nullptr;
  TeamThreads::Member* member = nullptr;
  int holds = 0;
  bool is_ready = false;  // whether it may call kernel code
  uintptr_t stack_end = UINTPTR_MAX;
  CallingThread caller;
  KernelFault fault;  // the fault that has ended the call
  ThreadExit exit;
};
constinit thread_local ThreadState t_state;

// Where that handler finds the state of the thread. Faults come from any thread of the host, even
// in the middle of malloc(), which the first access to a thread_local variable may call.
pthread_key_t state_key() {
  static const pthread_key_t key = [] {
    pthread_key_t created;
    pthread_key_create(&created, nullptr);
    return created;
  }();
  return key;
}

struct sigaction host_action;

// The greatest distance from the stack pointer at which a function accesses its variables.
constexpr uintptr_t kFrameBytes = 1 << 20;

[[noreturn]] void stop_for_good(TeamThreads::Member& member) {
  member.stopped.store(true);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  for (;;) pause();
}

// Not inlined: a function cannot jump to itself.
[[noreturn, gnu::noinline]] void jump_out(KernelCall& call) {
#if defined(__SANITIZE_THREAD__)
  // Jumps from a fiber (exec/fiber.h) to the thread that has resumed it.
  if (__tsan_get_current_fiber() != call.sanitizer_fiber)
    __tsan_switch_to_fiber(call.sanitizer_fiber, 0);
#endif
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

uintptr_t stack_pointer(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine.gregs[REG_RSP]);
#else
  return machine.sp;
#endif
}

// Where a function without a frame returns to; 0 if that cannot be read.
uintptr_t return_address(const void* context) {
#if defined(__x86_64__)
  // The stack may have overflowed: a read by the system fails instead of faulting.
  uintptr_t address = 0;
  const iovec to = {&address, sizeof address};
  const iovec from = {reinterpret_cast<void*>(stack_pointer(context)), sizeof address};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof address ? address : 0;
#else
  return static_cast<const ucontext_t*>(context)->uc_mcontext.regs[30];
#endif
}

// The instruction of kernel code that has led to the fault; 0: there was none.
template <class Code>
uintptr_t faulty_instruction(const Code& code, const void* context) {
  if (const uintptr_t at = program_counter(context); code.has(at)) return at;
  const uintptr_t caller = return_address(context);
  return code.has(caller) ? caller - 1 : 0;
}

KernelFault::Access access_of(const void* context, const siginfo_t& info) {
  if (program_counter(context) == reinterpret_cast<uintptr_t>(info.si_addr))
    return KernelFault::Access::kExecute;
#if defined(__x86_64__)
  // The processor's error code of a page fault: bit 1 says that it was a write.
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  if (machine.gregs[REG_ERR] & 2) return KernelFault::Access::kWrite;
#endif
  return KernelFault::Access::kRead;
}

// The end of the calling thread's stack, which is its highest address. That of the main thread has
// the program's name at its end; for it the C library would read /proc/self/maps line by line.
uintptr_t end_of_stack() {
  const auto name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name && gettid() == getpid())
    return align_up(reinterpret_cast<uintptr_t>(name) + strlen(name) + 1, size_t{4096});
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return UINTPTR_MAX;
  void* begin = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(begin) + bytes;
}

// Whether an overflow of the stack has led to an access to `address`. Beyond the stack's end there
// may be a buffer, and the access may be one beyond its end.
bool is_near_stack(uintptr_t address, uintptr_t pointer, uintptr_t stack_end) {
  return address + kFrameBytes - pointer < 2 * kFrameBytes && address < stack_end;
}

KernelFault fault_of(int number, const siginfo_t& info, const void* context, uintptr_t instruction,
                     uintptr_t stack_end) {
  KernelFault fault;
  fault.signal = number;
  // An address that the machine does not have is not reported.
  fault.has_address = (number == SIGSEGV || number == SIGBUS) && info.si_code != SI_KERNEL;
  fault.address = reinterpret_cast<uintptr_t>(info.si_addr);
  fault.near_stack =
      fault.has_address && is_near_stack(fault.address, stack_pointer(context), stack_end);
  fault.access = access_of(context, info);
  fault.instruction = instruction;
  return fault;
}

// Called on the faulting thread.
void leave_faulty_kernel(int number, const siginfo_t& info, const void* context) {
  auto* state = static_cast<ThreadState*>(pthread_getspecific(state_key()));
  if (!state || state->holds) return;
  if (KernelCall* call = state->call) {
    const uintptr_t instruction = faulty_instruction(call->site, context);
    if (!instruction) return;
    const KernelFault fault = fault_of(number, info, context, instruction, state->stack_end);
    call->fault = fault;  // run() makes the others leave, which no signal handler may
    // A handler of the host that was on top of ours and has handed the fault on leaves the signal
    // blocked. It must not stay blocked, since a fault then ends the process.
    pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
    jump_out(*call);
  }
  if (!state->member) return;
  TeamThreads& team = *state->member->team.load();
  const uintptr_t instruction = faulty_instruction(team.code, context);
  if (!instruction) return;
  CallRegistry::get().depart(team, {CL_ERROR_KERNEL_FAULT_CONCLAVE},
                             fault_of(number, info, context, instruction, state->stack_end));
  stop_for_good(*state->member);
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
  t_state.caller.reminded.store(false);
  KernelCall* call = t_state.call;
  if (call && t_state.caller.is_to_leave() && t_state.holds == 0 &&
      (call->site.has(at) || t_state.caller.forced.load()))
    jump_out(*call);
  chain(number, info, context);
  errno = error;
}

// Of the signals that are free for everybody: the last one that the host does not use.
int install_handler() {
  int number = SIGRTMAX;
  for (; number > SIGRTMIN; --number)
    if (sigaction(number, nullptr, &host_action) == 0 && host_action.sa_handler == SIG_DFL) break;
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  // The handler blocks nothing, so that it can be left by a jump.
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

// Called before a thread runs kernel code for the first time.
[[gnu::noinline]] void get_ready() {
  CallRegistry::get().add(t_state.caller);
  t_state.exit.run = [] { CallRegistry::get().remove(t_state.caller); };
  if (!at_thread_exit(t_state.exit)) {
    CallRegistry::get().remove(t_state.caller);
    throw std::bad_alloc();
  }
  accept_signal();
  t_state.stack_end = end_of_stack();
  pthread_setspecific(state_key(), &t_state);
  kernel_calls::guard_handlers();
  t_state.is_ready = true;
}

// Runs the call to its end; false if it is left.
[[gnu::noinline]] bool call_function(ThreadState& state, KernelCall& call, void (*function)(void*),
                                     void* argument) {
  if (__builtin_setjmp(call.place) != 0) {
    state.call = call.outer;
    return false;
  }
  state.call = &call;
  function(argument);
  state.call = call.outer;  // while the place to jump to is still there
  return true;
}

}  // namespace

void TeamThreads::join() {
  if (!t_state.is_ready) get_ready();
  fault_handlers::use_alternate_stack();
  if (!t_state.member) t_state.member = new Member;
  CallRegistry::get().add_member(*this, *t_state.member);
}

void TeamThreads::stop() {
  CallRegistry::get().stop(*this);
}

namespace kernel_calls {

void prepare_thread() noexcept {
  try {
    if (!t_state.is_ready) get_ready();
  } catch (const std::bad_alloc&) {  // the first call tells
  }
}

bool run(const Site& site, void (*function)(void*), void* argument, Departure& departure) {
  ThreadState* state = &t_state;
  asm("" : "+r"(state));  // finding it costs a call, which compilers would repeat at each use
  if (!state->is_ready) [[unlikely]]
    get_ready();
  KernelCall call(site, state->call, state->fault);
#if defined(__SANITIZE_THREAD__)
  call.sanitizer_fiber = __tsan_get_current_fiber();
#endif
  if (site.team) [[unlikely]]
    CallRegistry::get().set_call(*site.team, &call);
  state->caller.begin(site.launch);
  if (site.limit_ns) [[unlikely]]
    if (!CallRegistry::get().limit(state->caller, now_ns() + site.limit_ns))
      CallRegistry::get().depart(site.launch, {CL_OUT_OF_RESOURCES});
  const bool is_complete =
      !site.launch.left.load() && call_function(*state, call, function, argument);
  state->caller.end();
  if (site.limit_ns) [[unlikely]]
    CallRegistry::get().end_limit(state->caller);
  if (site.team) [[unlikely]]
    CallRegistry::get().set_call(*site.team, nullptr);
  if (call.outer) [[unlikely]]
    state->caller.begin(call.outer->site.launch);
  if (is_complete) [[likely]]
    return true;
  FloatEnvironment::set_default();
  state->holds = 0;
  if (state->fault.signal)
    CallRegistry::get().depart(site.launch, {CL_ERROR_KERNEL_FAULT_CONCLAVE});
  departure = CallRegistry::get().departure_of(site.launch);
  departure.fault = std::exchange(state->fault, {});
  return false;
}

void guard_handlers() {
  fault_handlers::install_if_due(leave_faulty_kernel);
}

void leave(int status, int exit_code) {
  const Departure departure{status, exit_code};
  ++t_state.holds;
  if (KernelCall* call = t_state.call) {
    CallRegistry::get().depart(call->site.launch, departure);
    jump_out(*call);
  }
  if (TeamThreads::Member* member = t_state.member) {
    CallRegistry::get().depart(*member->team.load(), departure);
    stop_for_good(*member);
  }
  fputs("conclave: a thread that a kernel's C code made called abort() or exit()\n", stderr);
  ::abort();
}

void leave_launch(LaunchCalls& launch, cl_int status) {
  CallRegistry::get().depart(launch, {status});
}

Hold::Hold() {
  ++t_state.holds;
}

Hold::~Hold() {
  --t_state.holds;
}

}  // namespace kernel_calls
}  // namespace conclave
