// SPDX-License-Identifier: Apache-2.0
// First come, first served, with real processes: on every compute unit, what waited is started in
// exactly the order of the tickets.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "platform/share/leases.h"
#include "platform/share/registry.h"
#include "platform/share/segment.h"

namespace conclave::share {
namespace {

constexpr int kProcesses = 8;
constexpr uint32_t kUnits = 3;
constexpr uint32_t kTickets = 10'000;

// What started on each unit, in this order. The holder of the unit writes.
struct Log {
  std::atomic<uint32_t> started{0};
  uint32_t count[kUnits];
  uint64_t tickets[kUnits][kTickets];
};

ComputeUnitSet all_units() {
  ComputeUnitSet set;
  for (uint32_t unit = 0; unit < kUnits; ++unit) set.add(unit);
  return set;
}

// Whether it is the ticket's turn on a unit. Like an engine, this passes a unit on that was handed
// over for an earlier request, which was withdrawn meanwhile, if older tickets wait.
bool accept_in_turn(Leases& leases, uint32_t unit, uint64_t ticket) {
  return leases.accept(unit) && !(leases.should_yield(unit, ticket) && leases.yield(unit));
}

// The unit that has been handed to this process; waits for one. A time limit on each sleep, since
// this loop sleeps on one unit and watches all: an engine has a worker for each.
uint32_t wait_for_unit(Leases& leases, uint64_t ticket) {
  for (uint32_t unit = 0;; unit = (unit + 1) % kUnits) {
    const uint32_t seen = leases.wake_count(unit);
    for (uint32_t other = 0; other < kUnits; ++other)
      if (accept_in_turn(leases, other, ticket)) return other;
    leases.sleep(unit, seen, 50'000);
  }
}

void take_tickets(const Layout& layout, Log& log) {
  Leases leases(layout, Registry(layout).enter());
  while (log.started.load() < kTickets) {
    const uint64_t ticket = leases.request(0, all_units(), 0);
    const uint32_t unit = wait_for_unit(leases, ticket);
    leases.withdraw(0);
    if (log.started.fetch_add(1) < kTickets) log.tickets[unit][log.count[unit]++] = ticket;
    for (int i = 0; i < 1000; ++i) asm volatile("");
    leases.give(unit);
    // Others may have been handed over for the same request.
    for (uint32_t other = 0; other < kUnits; ++other)
      if (leases.accept(other)) leases.give(other);
  }
}

TEST(TicketOrder, TenThousandTicketsOfEightProcessesStartInOrder) {
  auto segment = Segment::make("ticket-order", 128);
  segment->layout().header().policy.store(static_cast<uint32_t>(Policy::kFcfs));
  auto* log = static_cast<Log*>(
      mmap(nullptr, sizeof(Log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(MAP_FAILED, static_cast<void*>(log));
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      take_tickets(segment->layout(), *log);
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(0, status);
  }
  uint32_t total = 0;
  for (uint32_t unit = 0; unit < kUnits; ++unit) {
    total += log->count[unit];
    for (uint32_t i = 1; i < log->count[unit]; ++i)
      ASSERT_LT(log->tickets[unit][i - 1], log->tickets[unit][i])
          << "start " << i << " on " << unit;
  }
  EXPECT_EQ(kTickets, total);
  munmap(log, sizeof(Log));
}

}  // namespace
}  // namespace conclave::share
