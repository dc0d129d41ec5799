// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/gang.h"

#include <vector>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/futex.h"
#include "platform/exec/command.h"
#include "platform/exec/execution.h"
#include "platform/exec/trace_run.h"

namespace conclave::gang {
namespace {

void set_size(Event& event, int32_t size) {
  event.work.gang_size.store(size);
  futex_wake(event.work.gang_size);
}

void wait_for_size(Event& event, int32_t size) {
  std::atomic<int32_t>& present = event.work.gang_size;
  for (int32_t seen = present.load(); seen < size; seen = present.load()) futex_wait(present, seen);
}

// Called on the compute unit that joined last.
void run_team(const Dispatcher& dispatcher, ScopedLease& lease, Event& event) {
  const ComputeUnitSet& units = event.compute_units();
  std::vector<ComputeUnit*> team = {&lease.cu()};
  for (uint32_t i = units.first_from(0); i < kMaxComputeUnits; i = units.first_from(i + 1))
    if (i != lease.cu().index()) team.push_back(dispatcher.units()[i].get());
  const uint64_t start = now_ns();
  if (event.work.error.load() != CL_SUCCESS) return;
  try {
    event.command()->run_team(team);
    event.command()->measured(event.work.total, now_ns() - start);
  } catch (const std::exception& error) {
    execution::fail(event, error);
  }
  execution::charge(lease, event, now_ns() - start);
}

// Called on each compute unit.
void run_parts(ScopedLease& lease, Event& event, TraceRun& trace) {
  WorkRecord& p = event.work;
  uint64_t done = 0;
  for (auto part = p.untaken.take(0, 1); part.count; part = p.untaken.take(0, 1), ++done)
    execution::run_parts(lease, event, part.first, 1, true);
  trace.end();
  execution::note_done(event, done);
}

}  // namespace

void begin(Dispatcher& dispatcher, Event& event) {
  event.work.wanted.store(0);
  event.work.gang_cu = static_cast<int32_t>(event.compute_units().first_from(0));
  dispatcher.add_to_run_queue(event);
}

void join(Dispatcher& dispatcher, ScopedLease& lease, Event& event) {
  WorkRecord& p = event.work;
  const ComputeUnitSet& units = event.compute_units();
  const auto size = static_cast<int32_t>(units.size());
  const int32_t joined = p.gang_size.load() + 1;  // only one joins at a time
  const bool last = joined == size;
  // All leave a team's command when it has ended; gang_size is then one more.
  const int32_t enough = p.team ? size + 1 : size;
  if (last && !execution::start(event)) return set_size(event, enough);

  const uint32_t next = units.first_from(lease.cu().index() + 1);
  p.gang_cu = last ? -1 : static_cast<int32_t>(next);
  if (last) {
    set_size(event, joined);
  } else {
    p.gang_size.store(joined);
    dispatcher.add_to_run_queue(event);
  }
  TraceRun trace;
  trace.begin(lease, event);
  if (p.team && last) {
    run_team(dispatcher, lease, event);
    trace.end();
    set_size(event, enough);
    return execution::close(event);
  }
  const uint64_t start = now_ns();
  wait_for_size(event, enough);
  if (p.team) return execution::charge(lease, event, now_ns() - start);
  run_parts(lease, event, trace);
}

void abandon(Event& event) {
  WorkRecord& p = event.work;
  const auto size = static_cast<int32_t>(event.compute_units().size());
  const bool is_open = execution::start(event);
  if (is_open && !p.team) execution::skip_rest(event);
  set_size(event, p.team ? size + 1 : size);  // those that have joined wait for the others
  if (is_open && p.team) execution::close(event);
}

}  // namespace conclave::gang
