// SPDX-License-Identifier: Apache-2.0
// What a failed assert() of C code calls: the kernel is aborted, not the process.

__attribute__((noreturn)) void abort(void);
int dprintf(int file, const char* format, ...);

__attribute__((noreturn)) void __assert_fail(const char* assertion, const char* file,
                                             unsigned int line, const char* function) {
  dprintf(2, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  abort();
}
