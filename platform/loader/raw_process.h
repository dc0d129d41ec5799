// SPDX-License-Identifier: Apache-2.0
// System calls for code that runs beside its process on a foreign stack. glibc's wrappers would
// write errno to the thread-local storage of a thread that goes on, and sanitizers would take the
// code for that thread's.
#ifndef CONCLAVE_PLATFORM_LOADER_RAW_PROCESS_H_
#define CONCLAVE_PLATFORM_LOADER_RAW_PROCESS_H_

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

// Marks functions that may run there: nothing that the compiler adds to them may use thread-local
// storage. Clang's no_sanitize_thread leaves calls at entry and exit of a function; this removes
// them too.
#if defined(__clang__)
#define CONCLAVE_BARE_CODE \
  __attribute__((noinline, no_stack_protector, disable_sanitizer_instrumentation))
#else
#define CONCLAVE_BARE_CODE                                                              \
  __attribute__((noinline, no_stack_protector, no_sanitize_address, no_sanitize_thread, \
                 no_sanitize_undefined))
#endif

namespace conclave::raw {

#if defined(__x86_64__)

// Returns -errno on failure.
CONCLAVE_BARE_CODE inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                                    long e = 0) {
  long result;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
               : "rcx", "r11", "memory");
  return result;
}

// clone(2): a child that calls run(argument) on the stack that ends at `stack_end`, a multiple of
// 16, and exits with the result. Returns its process id, or -errno.
CONCLAVE_BARE_CODE inline long clone(unsigned long flags, void* stack_end, int (*run)(void*),
                                     void* argument) {
  auto** stack = static_cast<void**>(stack_end);
  *--stack = argument;
  *--stack = reinterpret_cast<void*>(run);
  long result;
  register long no_child_tid asm("r10") = 0;
  register long no_tls asm("r8") = 0;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "pop %%rax\n\t"
      "pop %%rdi\n\t"
      "call *%%rax\n\t"
      "mov %%eax, %%edi\n\t"
      "mov %[exit_group], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(no_child_tid),
        "r"(no_tls), [exit_group] "i"(SYS_exit_group)
      : "rcx", "r11", "memory");
  return result;
}

#else

CONCLAVE_BARE_CODE inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0,
                                    long e = 0) {
  const long result = ::syscall(number, a, b, c, d, e);
  return result < 0 ? -errno : result;
}

CONCLAVE_BARE_CODE inline long clone(unsigned long flags, void* stack_end, int (*run)(void*),
                                     void* argument) {
  const long result = ::clone(run, stack_end, static_cast<int>(flags), argument);
  return result < 0 ? -errno : result;
}

#endif

}  // namespace conclave::raw

#endif  // CONCLAVE_PLATFORM_LOADER_RAW_PROCESS_H_
