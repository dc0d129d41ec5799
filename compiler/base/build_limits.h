// SPDX-License-Identifier: Apache-2.0
// What a build may take of the machine: memory, CPU time, stack.
//
// The kernel counts, so no code has to ask: RLIMIT_DATA bounds the private memory of a process,
// RLIMIT_CPU its time. A build that takes more ends at once with a text that says why. It cannot go
// on, since LLVM is not written to survive a failed allocation.
#ifndef CONCLAVE_COMPILER_BASE_BUILD_LIMITS_H_
#define CONCLAVE_COMPILER_BASE_BUILD_LIMITS_H_

#include <cstdint>
#include <functional>
#include <string>

namespace conclave::compiler {

struct BuildLimits {
  uint64_t memory_mib = 0;   // beside what the process has already; 0: no limit
  uint64_t cpu_seconds = 0;  // of each process; 0: no limit
};

// Bounds this process and those that it forks. When the build takes more, what `message_for` makes
// of the reason ("the build needs more than ...") is written to `descriptor`, and the process ends
// with exit status 1. Also makes this process the first that the kernel ends when the machine has no
// memory left, and gives the calling thread, which has to be the main thread, a large stack.
void limit_build(const BuildLimits& limits, int descriptor,
                 const std::function<std::string(const std::string& reason)>& message_for);

// When this process crashes after limit_build(), a signal handler calls `handler`. If that returns, the
// process ends by its signal. Processes that do a part of the build end at once.
void call_at_crash(void (*handler)());

// Makes this process the first that the kernel ends when the machine has no memory left.
void be_first_to_be_killed();

// How many bytes this process may still take; UINT64_MAX where there is no limit.
uint64_t memory_left();

// While it lives, `count` processes, this one and those that it forks, share what is left: none
// takes more than its equal part.
class SharedMemoryLimit {
 public:
  explicit SharedMemoryLimit(uint64_t count);
  ~SharedMemoryLimit();
  SharedMemoryLimit(const SharedMemoryLimit&) = delete;
  SharedMemoryLimit& operator=(const SharedMemoryLimit&) = delete;

 private:
  uint64_t before_;
};

// For a process that was forked to do a part of the build: its exit status tells its parent which
// limit it has met.
void become_part_of_build();
// Ends this process as one that has met the limit that its part has met; returns if the part ended
// for another reason. `status` is what waitpid() has told of the part.
void end_as_part_did(int status);
// Whether the part has crashed.
bool is_crash(int status);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_BUILD_LIMITS_H_
