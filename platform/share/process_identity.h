// SPDX-License-Identifier: Apache-2.0
// Which process is meant. Its number is not enough, since the system uses numbers again.
#ifndef CONCLAVE_PLATFORM_SHARE_PROCESS_IDENTITY_H_
#define CONCLAVE_PLATFORM_SHARE_PROCESS_IDENTITY_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace conclave::share {

struct ProcessIdentity {
  pid_t pid = 0;
  uint64_t start_time = 0;  // clock ticks since boot, as in /proc/<pid>/stat; 0: unknown

  static ProcessIdentity self();
  bool operator==(const ProcessIdentity&) const = default;
};

// The process that has this number now; without a start time if that cannot be found out.
ProcessIdentity identity_of(pid_t pid);

enum class Liveness { kDead, kStopped, kAlive };

// The state of `process`; kAlive if it cannot be found out. A zombie is dead.
Liveness liveness(const ProcessIdentity& process);

// Name and command line of a process, as /proc shows them; "" if they cannot be read.
std::string process_name(pid_t pid);
std::string process_command(pid_t pid);

// The namespace of this process's numbers.
uint64_t pid_namespace();

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_PROCESS_IDENTITY_H_
