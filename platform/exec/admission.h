// SPDX-License-Identifier: Apache-2.0
// A command becomes ready: how it is to be cut, and how many compute units it is worth.
#ifndef CONCLAVE_PLATFORM_EXEC_ADMISSION_H_
#define CONCLAVE_PLATFORM_EXEC_ADMISSION_H_

#include <cstdint>

#include "platform/model/event.h"

namespace conclave {

// Commands shorter than this are not worth waking a thread for: they wait for the host thread's
// next flush or finish, or for more of their kind. About two sleeps and wake-ups.
inline constexpr uint64_t kWorthWakingNs = 20'000;
// The same where all units are at work for others: a woken worker would not start sooner than the
// host thread gets to its flush or finish.
inline constexpr uint64_t kWorthQueuingNs = 200'000;

// Fills in the event's work record from what its command says of itself. Nothing where that has
// been done before.
void admit(Event& event);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ADMISSION_H_
