// SPDX-License-Identifier: Apache-2.0
// What is to be done when a thread ends. Unlike the destructor of a thread_local variable, for
// which the C library ends the process where it has no memory to remember it, this can fail.
#ifndef CONCLAVE_PLATFORM_BASE_THREAD_EXIT_H_
#define CONCLAVE_PLATFORM_BASE_THREAD_EXIT_H_

namespace conclave {

// One thing to do; lies in a thread_local variable without a constructor.
struct ThreadExit {
  void (*run)() = nullptr;
  ThreadExit* next = nullptr;
};

// Calls `exit.run` when the calling thread ends, unless the whole process does. False where that
// cannot be had.
bool at_thread_exit(ThreadExit& exit) noexcept;

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_THREAD_EXIT_H_
