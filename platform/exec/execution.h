// SPDX-License-Identifier: Apache-2.0
// A command at work on a compute unit, from its start to its end. Several compute units take its
// parts (work-groups) in chunks, each with one atomic addition. The thread that finishes the last
// one completes the event.
#ifndef CONCLAVE_PLATFORM_EXEC_EXECUTION_H_
#define CONCLAVE_PLATFORM_EXEC_EXECUTION_H_

#include <CL/cl_ext.h>

#include <cstdint>
#include <exception>

#include "platform/base/error.h"
#include "platform/exec/dispatcher.h"
#include "platform/exec/scoped_lease.h"
#include "platform/model/event.h"

namespace conclave::execution {

// Takes part in an admitted command, which `lease` may run, until none of its parts is left or
// the compute unit is somebody else's. Wakes a few more compute units where they would help;
// they do the same in their turn: a tree, so that nobody makes many system calls.
void run(Dispatcher& dispatcher, ScopedLease& lease, Event& event);

// Lets a command go on that was left in the middle: on a free compute unit where there is one
// (`at_once`), or when it is its turn.
void resume(Dispatcher& dispatcher, Event& event, bool at_once) noexcept;

// How the commands of a terminated context end. It has no text: the context's callback gets one.
inline Error context_terminated() {
  return Error(CL_CONTEXT_TERMINATED_KHR, "");
}

// --- Its steps, for gangs, which run otherwise ---

// First to run a command. False if it has ended already.
bool start(Event& event);
// Runs the parts [first, first + count). Returns how long it took, in ns; 0 if it was not `timed`.
uint64_t run_parts(ScopedLease& lease, Event& event, uint64_t first, uint64_t count, bool timed);
// Notes that so many parts have been run, and closes the command where these were the last.
void note_done(Event& event, uint64_t parts);
// The command's status is to be that of its first error.
void fail(Event& event, const std::exception& error) noexcept;
// Accounts for device work of so many ns.
void charge(ScopedLease& lease, const Event& event, uint64_t ns);
// Ends the command. `lease`: that of the calling thread, which ran all of it; null: nobody's.
void close(Event& event, ScopedLease* lease = nullptr);
// Nobody is to run what nobody has begun of the command.
void skip_rest(Event& event);

// Ends a command that cannot go on: memory or threads are wanting. What runs of it on other compute
// units comes to its end.
void abandon(Event& event, const std::exception& error) noexcept;

}  // namespace conclave::execution

#endif  // CONCLAVE_PLATFORM_EXEC_EXECUTION_H_
