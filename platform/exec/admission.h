// SPDX-License-Identifier: Apache-2.0
// A command becomes ready: this decides how it is cut, and how many compute units it is worth.
#ifndef CONCLAVE_PLATFORM_EXEC_ADMISSION_H_
#define CONCLAVE_PLATFORM_EXEC_ADMISSION_H_

#include <cstdint>

#include "platform/model/event.h"
#include "platform/share/leases.h"

namespace conclave {

// A thread is not woken for a command shorter than this. The command waits for the host thread's
// next flush or finish, or for more commands of its kind. About two sleeps and wake-ups.
inline constexpr uint64_t kWorthWakingNs = 20'000;
// The same while all compute units work for others: a woken worker would start no sooner than the
// host thread reaches its flush or finish.
inline constexpr uint64_t kWorthQueuingNs = 200'000;

// How long the command takes on all the compute units that it is worth; Command::kUnknown as long
// as nobody knows.
uint64_t expected_ns(const Event& event);

// Whether the command takes each of its compute units for about a time slice at most, as far as is
// known. Only such a command may run beside the holder of a compute unit: a longer one would slow
// the holder down, and keep the short ones of others out, without gaining by it.
bool is_brief(const Event& event);

// As what such a command visits a compute unit.
share::Visitor visitor_for(const Event& event);

// Fills in the event's work record from what its command says of itself. Does nothing if that
// has been done before.
void admit(Event& event);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ADMISSION_H_
