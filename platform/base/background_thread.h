// SPDX-License-Identifier: Apache-2.0
// Threads of the platform's own. They take none of the host's signals, and end by themselves or
// with the process.
#ifndef CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_
#define CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_

#include <cstddef>
#include <functional>
#include <string>

namespace conclave {

struct ThreadOptions {
  size_t stack_bytes = 256 << 10;  // 0: as the system has it
  size_t guard_bytes = 0;          // below the stack; 0: as the system has it
  int cpu = -1;                    // that it is bound to; -1: any
  bool runs_kernels = false;       // it takes the signals of faults
};

// Starts a thread that runs `body`, which throws nothing. `name`: at most 15 characters. Throws
// Error{CL_OUT_OF_RESOURCES} where no thread is to be had, or std::bad_alloc.
void start_background_thread(const std::string& name, std::function<void()> body,
                             const ThreadOptions& options = {});

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_
