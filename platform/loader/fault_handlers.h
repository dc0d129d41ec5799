// SPDX-License-Identifier: Apache-2.0
// The process's handlers of SIGSEGV, SIGBUS, SIGILL and SIGFPE. A fault in kernel code ends the
// kernel's call (kernel_calls.h). Every other fault goes on to the handlers that the host has
// installed, before or since, as if these handlers did not exist.
#ifndef CONCLAVE_PLATFORM_LOADER_FAULT_HANDLERS_H_
#define CONCLAVE_PLATFORM_LOADER_FAULT_HANDLERS_H_

#include <signal.h>

namespace conclave::fault_handlers {

// The signals by which a processor reports a fault.
inline constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

// Ends the kernel call of the calling thread if the fault is in kernel code; returns if it is not.
using LeaveKernel = void (*)(int signal, const siginfo_t& info, const void* context);

// Installs the handlers. Installs them again if the host has installed its own since; those then
// get the faults that are not a kernel's. Does nothing, in a few nanoseconds, if the last look was
// less than some milliseconds ago. During that time a handler that the host installs may get the
// faults of kernels too.
void install_if_due(LeaveKernel leave_kernel);

// Gives the calling thread a stack for handlers, unless it has one, so that an overflow of its own
// stack can be handled. The stack is never freed, since threads that run kernels do not end.
void use_alternate_stack();

}  // namespace conclave::fault_handlers

#endif  // CONCLAVE_PLATFORM_LOADER_FAULT_HANDLERS_H_
