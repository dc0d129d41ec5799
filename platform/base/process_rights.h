// SPDX-License-Identifier: Apache-2.0
// What a process may do, and what it sees of the machine.
#ifndef CONCLAVE_PLATFORM_BASE_PROCESS_RIGHTS_H_
#define CONCLAVE_PLATFORM_BASE_PROCESS_RIGHTS_H_

#include <sys/types.h>

#include <string>

namespace conclave {

// A text that is the same for processes of equal users, groups, capabilities, namespaces, root
// directory, control groups, filters of system calls, and label (SELinux, AppArmor). "" where that cannot be told: the process is
// hidden, or it is confined (no_new_privs): the rules of Landlock show nowhere, and who takes rights
// from itself has to set that first.
std::string rights_of(pid_t process);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_PROCESS_RIGHTS_H_
