// SPDX-License-Identifier: Apache-2.0
// What a process leaves to those that run the same program later: notes about kinds of launches
// (loader/launch_notes.h), and orders of code that outlive it.
//
//   the first process looks for code in vain   -> it leaves a note, with the time of a work-item
//   the second does so too, and finds the note -> it orders the code, and notes that it will be there;
//                                                 if it runs for long, it has the compiler make it besides
//   later ones know that from the program's build on, and have the code from the first launch on
//
// The time decides how large work-groups are where the program leaves that open, and whether a command
// is short: a first launch of few, large work-groups may take long, and nothing can be tried within it.
//
// Processes that write notes at the same time may lose some of them, which are then written by the
// next process.
#ifndef CONCLAVE_PLATFORM_EXEC_LATER_PROCESSES_H_
#define CONCLAVE_PLATFORM_EXEC_LATER_PROCESSES_H_

#include <memory>
#include <vector>

#include "conclave/compile_protocol.h"
#include "platform/model/kernel.h"
#include "platform/model/launch_kinds.h"

namespace conclave::later_processes {

// Has those kinds of launches served before the first of them that have code by the notes. The kernels
// learn what their work-items took.
// `kernels`: of one program, not launched yet.
void expect_code(const std::vector<std::shared_ptr<const KernelCode>>& kernels);

// The cache has code for this kind of launches.
void tell_of_code(const KernelCode& code, const LaunchKindUse& use);

// Has what the cache lacks of the answers made, even if this process ends meanwhile.
void order(const std::vector<protocol::Request>& requests);

// The answers to `requests`, code for this kind of launches, were looked for in vain.
void leave(const std::vector<protocol::Request>& requests, const KernelCode& code,
           LaunchKindUse& use);

}  // namespace conclave::later_processes

#endif  // CONCLAVE_PLATFORM_EXEC_LATER_PROCESSES_H_
