// SPDX-License-Identifier: Apache-2.0
// Ends the kernel that calls it, and not the process: what C code and OpenCL C mean by abort() and
// exit(). Linked into the programs that use them; visible in these alone.

// Does not return. Whoever loads the program sets it. The status is that of the kernel's event.
__attribute__((visibility("default"))) void (*conclave_leave_kernel)(int status, int exit_code);

enum { kAborted = -7101, kExited = -7102 };  // CL_ERROR_KERNEL_ABORT_TI, _EXIT_TI

__attribute__((noreturn)) static void leave(int status, int exit_code) {
  conclave_leave_kernel(status, exit_code);
  __builtin_trap();
}

__attribute__((noreturn)) void abort(void) {
  leave(kAborted, 0);
}
__attribute__((noreturn)) void exit(int code) {
  leave(kExited, code);
}
__attribute__((noreturn)) void _exit(int code) {
  leave(kExited, code);
}
__attribute__((noreturn)) void _Exit(int code) {
  leave(kExited, code);
}
__attribute__((noreturn)) void quick_exit(int code) {
  leave(kExited, code);
}
