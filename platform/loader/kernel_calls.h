// SPDX-License-Identifier: Apache-2.0
// Calls of kernel code that may end before the code does: by a fault (fault_handlers.h), by abort()
// and exit() in the kernel, by a time limit, or because another compute unit's call of the same
// launch has ended so.
//
// run() notes where its thread has to continue. To leave, the thread jumps there, over the frames
// of the kernel. A thread that must leave gets a signal of ours, whose handler jumps. It does so at
// once if it interrupts the program's own code. In a library that the program called, a jump might
// leave a lock behind. There the thread has kGraceNs to come back; after that we assume that it
// sleeps or waits there.
//
// A fault is the kernel's if the instruction is in its code, or in a function without a frame that
// its code has called: memcpy() and similar, by which compilers copy structures.
//
// Threads that OpenMP's library made cannot leave: the library would never get them back. The
// threads of a team whose kernel was left in a parallel region are stopped for ever.
#ifndef CONCLAVE_PLATFORM_LOADER_KERNEL_CALLS_H_
#define CONCLAVE_PLATFORM_LOADER_KERNEL_CALLS_H_

#include <CL/cl.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace conclave {

inline constexpr uint64_t kGraceNs = 100'000'000;

// A fault in kernel code, as the processor reported it.
struct KernelFault {
  enum class Access : uint8_t { kRead, kWrite, kExecute };
  int signal = 0;  // SIGSEGV, SIGBUS, SIGILL or SIGFPE; 0: there was none
  Access access = Access::kRead;
  bool has_address = false;  // whether the processor gave the address that was accessed
  uintptr_t address = 0;
  bool near_stack = false;    // the address is near where the thread's stack ends or would go on
  uintptr_t instruction = 0;  // in kernel code
};

// How a call of kernel code ended: CL_SUCCESS, or the status for its kernel.
struct Departure {
  cl_int status = CL_SUCCESS;
  int exit_code = 0;       // of exit()
  KernelFault fault = {};  // only of this very call
  explicit operator bool() const { return status != CL_SUCCESS; }
};

// The place of a program's code.
struct CodeRange {
  uintptr_t begin = 0, end = 0;
  bool has(uintptr_t address) const { return address >= begin && address < end; }
};

class KernelCall;

// The threads that OpenMP's library made for a thread that calls kernels. They never end, and
// neither may this object.
struct TeamThreads {
  // A thread, which is in one team at a time; never freed.
  struct Member {
    const pthread_t thread = pthread_self();
    std::atomic<TeamThreads*> team{nullptr};
    std::atomic<bool> reminded{false};
    std::atomic<bool> stopped{false};
  };

  // Called on each of these threads.
  void join();
  // Stops them for ever: each as soon as it is in `code`, or after the grace time.
  void stop();

  std::vector<Member*> members;            // guarded by the registry
  KernelCall* call = nullptr;              // the call the thread is in; guarded by the registry
  CodeRange code;                          // the kernel's; set before its call
  std::atomic<uint64_t> stopped_at_ns{0};  // 0: not stopped
};

// The calls of one launch end together.
struct LaunchCalls {
  std::atomic<bool> left{false};
  Departure departure;  // how the first of them was left; guarded by the registry
};

namespace kernel_calls {

struct Site {
  LaunchCalls& launch;
  const CodeRange& code;
  const CodeRange* special_code = nullptr;  // more code that the call may run; null: none
  uint64_t limit_ns = 0;                    // the call is left after this time; 0: never
  TeamThreads* team = nullptr;              // the calling thread's

  bool has(uintptr_t address) const {
    return code.has(address) || (special_code && special_code->has(address));
  }
};

// Gets what the calling thread needs for its first call, so that the call need not: memory of the
// thread's own, for one.
void prepare_thread() noexcept;

// Calls `function(argument)`, which has nothing to clean up, unless the launch has been left
// already. Returns whether it came to its end; otherwise `departure` tells how it was left.
bool run(const Site& site, void (*function)(void*), void* argument, Departure& departure);

template <class Function>
bool run(const Site& site, Function&& function, Departure& departure) {
  using Callable = std::remove_reference_t<Function>;
  return run(site, [](void* f) { (*static_cast<Callable*>(f))(); }, &function, departure);
}

// What programs call through binary::kLeaveVariable. Ends the call of the calling thread, or of the
// thread whose team it is in.
void leave(int status, int exit_code);

// Ends all calls of the launch, now and later, with that status. From any thread.
void leave_launch(LaunchCalls& launch, cl_int status);

// Looks whether the host has put fault handlers in front of ours, unless that has just been done.
void guard_handlers();

// While it lives, the calling thread's call is not left, since the thread is in this library.
class Hold {
 public:
  Hold();
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
};

}  // namespace kernel_calls
}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_KERNEL_CALLS_H_
