// SPDX-License-Identifier: Apache-2.0
// Commands whose work-groups must run at the same time. They need all compute units of their device
// at once. These join one after the other, in the order of their numbers. So of two gangs, of one
// process or of two, the one that gets the first compute unit that both need gets all of them, and
// the two never wait for each other.
//
// When the last one has joined, each runs work-groups of the command. For a team (OpenMP) the last
// one runs the command, with threads for all, and the others keep their compute units for it.
#ifndef CONCLAVE_PLATFORM_EXEC_GANG_H_
#define CONCLAVE_PLATFORM_EXEC_GANG_H_

#include "platform/exec/dispatcher.h"
#include "platform/exec/scoped_lease.h"
#include "platform/model/event.h"

namespace conclave::gang {

// Makes the first compute unit join.
void begin(Dispatcher& dispatcher, Event& event);

// Called on the compute unit whose turn it is to join: makes the next one join, waits until all
// have joined, and takes part.
void join(Dispatcher& dispatcher, ScopedLease& lease, Event& event);

// Ends a command that cannot have all its compute units, with the error that was found.
void abandon(Event& event);

}  // namespace conclave::gang

#endif  // CONCLAVE_PLATFORM_EXEC_GANG_H_
