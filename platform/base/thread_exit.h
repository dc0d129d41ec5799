// SPDX-License-Identifier: Apache-2.0
// Actions at the end of a thread. Registering one can fail, unlike the destructor of a thread_local
// variable: there the C library ends the process if it has no memory to remember it.
#ifndef CONCLAVE_PLATFORM_BASE_THREAD_EXIT_H_
#define CONCLAVE_PLATFORM_BASE_THREAD_EXIT_H_

namespace conclave {

// One action; lies in a thread_local variable without a constructor.
struct ThreadExit {
  void (*run)() = nullptr;
  ThreadExit* next = nullptr;
};

// Calls `exit.run` when the calling thread ends, unless the whole process does. False if that is
// impossible.
bool at_thread_exit(ThreadExit& exit) noexcept;

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_THREAD_EXIT_H_
