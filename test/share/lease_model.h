// SPDX-License-Identifier: Apache-2.0
// Simulated processes that share the leases of a few compute units in plain memory, and an explorer
// of the orders in which they may act. They run the real leases.cc and registry.cc, compiled with
// test/unit/share/stepping_atomic.h: each access to a shared word is a step, and so are a futex
// sleep and a wake-up. The explorer chooses before each step who takes it, and may kill a process
// there. It goes through all choices depth first. A state is all that can matter for what follows:
// the shared words, and each thread's registers, stack and allocations. A state that was met before
// is not gone into again.
//
// Not covered: weaker memory orders than sequential consistency, and futex sleeps that end without
// a wake-up.
#ifndef CONCLAVE_TEST_SHARE_LEASE_MODEL_H_
#define CONCLAVE_TEST_SHARE_LEASE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/share/leases.h"
#include "platform/share/registry.h"

namespace conclave::share::model {

inline constexpr uint32_t kMostUnits = 2;
inline constexpr uint32_t kMostProcesses = 6;
inline constexpr int kUnbounded = 1 << 20;

struct Setup {
  Policy policy = Policy::kFcfs;
  uint32_t units = 1;
  uint32_t processes = 2;  // in the table from the start, process p in entry p
  uint32_t capacity = 0;   // of the table; 0: `processes`
  uint32_t deaths = 0;     // how many processes may be killed
  uint32_t mortal = 0;     // bit p: process p may be
  // How often another thread may interrupt one that could go on.
  int preemptions = kUnbounded;
  uint64_t most_states = 30'000'000;
};

// So often a process can be in the table.
inline constexpr uint32_t kMostEntries = 4;

// What the test knows of the simulated processes. Part of a state.
struct Notes {
  uint32_t holders[kMostUnits];      // bit p: process p believes to hold the unit
  uint32_t guests[kMostUnits];       // bit p: process p believes to be a guest there
  uint64_t last_ticket[kMostUnits];  // that the unit was handed out for
  uint32_t jobs[kMostProcesses];     // that a process has still to do
  uint32_t dead;                     // bit p: process p was killed
  uint32_t locked;                   // bit p: a thread of process p has that process's lock
  uint32_t stopped;                  // bit p: process p does not run, for somebody has stopped it
  uint32_t entered[kMostProcesses];  // Owner of a process that came later or again, 0: none
  uint32_t published_by[kMostProcesses];  // Owner that a process last published its requests as
  // What the threads of one process share: its memberships, and which is the present one.
  alignas(Leases) std::byte leases[kMostProcesses][kMostEntries][sizeof(Leases)];
  uint32_t membership[kMostProcesses];
};

struct Result {
  std::string violation;  // what went wrong, and the steps that led there; "": nothing
  bool complete = true;   // all within the bound on preemptions was seen
  uint64_t states = 0, steps = 0, ends = 0;
  size_t longest = 0;  // steps from the beginning to an end
};

// Called after each step, and when nobody can take another one. Returns "", or what is wrong.
struct Checks {
  std::function<std::string()> always, at_end;
};

// A thread of process `process`.
struct Thread {
  uint32_t process;
  std::function<void()> body;
};

Result explore(const Setup& setup, const std::function<void()>& prepare,
               const std::vector<Thread>& threads, const Checks& checks);

// --- For the bodies and checks ---

Layout layout();
Notes& notes();
// A shared word's value, without a step.
template <class T>
T peek(const Atomic<T>& word) {
  return *reinterpret_cast<const T*>(&word);
}
inline Lease lease_of(uint32_t unit) {
  return Lease::of(peek(layout().unit(unit).lease));
}
// Sleeps until a process has been killed that this thread has not been told of yet; which one.
uint32_t wait_for_death();
// Sleeps until `holds` of the calling process, which may only peek().
void wait_until(bool (*holds)(uint32_t process));
// A lock among the threads of the calling process.
void lock();
void unlock();
// Ends the exploration: this must not happen.
void violated(const std::string& what);

}  // namespace conclave::share::model

#endif  // CONCLAVE_TEST_SHARE_LEASE_MODEL_H_
