// SPDX-License-Identifier: Apache-2.0
// A separate stack for code that may have to wait. The code can be left in the middle, and the same
// thread or another one can go on with it later. So a kernel that waits for a stream keeps no
// thread and no compute unit from other work.
#ifndef CONCLAVE_PLATFORM_EXEC_FIBER_H_
#define CONCLAVE_PLATFORM_EXEC_FIBER_H_

#include <cstddef>

#include "platform/exec/guarded_block.h"

namespace conclave {

class Fiber {
 public:
  using Body = void (*)(void* argument);

  // Throws Error{CL_OUT_OF_RESOURCES}.
  explicit Fiber(size_t stack_bytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the next resume() begin with `body`, whatever was on the stack. Code that is never
  // resumed, such as a faulty kernel, has nothing to clean up there.
  void start(Body body, void* argument);
  // Runs the code until it suspends itself or ends. Returns whether it has ended.
  bool resume();
  // Called on the fiber: goes on in the thread that resumed it, and returns with the next resume().
  // The thread may then be another one, so the caller must not keep addresses of thread-local
  // variables.
  void suspend();

 private:
  static void run(Fiber* self);

  GuardedBlock stack_;
  const size_t stack_bytes_;
  void* here_ = nullptr;   // stack pointer of the fiber while it is not running
  void* there_ = nullptr;  // and of the thread that has resumed it
  Body body_ = nullptr;
  void* argument_ = nullptr;
  bool ended_ = true;
  // What sanitizers know of the two stacks.
  [[maybe_unused]] void* sanitizer_fiber_ = nullptr;
  [[maybe_unused]] void* sanitizer_thread_ = nullptr;
  [[maybe_unused]] const void* thread_stack_ = nullptr;
  [[maybe_unused]] size_t thread_stack_bytes_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_FIBER_H_
