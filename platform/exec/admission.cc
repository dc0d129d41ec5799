// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/admission.h"

#include "platform/base/compute_unit_set.h"
#include "platform/exec/chunks.h"
#include "platform/exec/command.h"

namespace conclave {
namespace {

// The default time slice.
constexpr uint64_t kBriefNs = 4'000'000;

// So much on each compute unit makes a guest short. What is not known counts as longer.
constexpr uint64_t kShortVisitNs = 500'000;

// Cuts the command into chunks, and decides how many compute units would help besides the first.
void cut(Event& event, Command& command) {
  WorkRecord& p = event.work;
  const uint64_t units = event.compute_units().size();
  const Cut cut(p.total, p.estimate_ns,
                useful_compute_units(units, p.total, p.estimate_ns, kWorthWakingNs));
  p.chunk = cut.chunk;
  p.most = cut.most;
  const uint64_t chunks = (p.total + p.chunk - 1) / p.chunk;
  p.places =
      static_cast<int32_t>(useful_compute_units(units, chunks, p.estimate_ns, kWorthWakingNs) - 1);
  p.wanted.store(p.places, std::memory_order_relaxed);
  if (p.places > 0) p.turn = command.deal();
  p.untaken.set(p.total, p.least,
                p.turn.way == Dealing::kSpans ? static_cast<uint64_t>(p.places) + 1 : 1);
}

}  // namespace

uint64_t expected_ns(const Event& event) {
  const WorkRecord& p = event.work;
  const uint64_t ns = p.estimate_ns.load(std::memory_order_relaxed);
  return ns == Command::kUnknown ? ns : ns / (static_cast<uint64_t>(p.places) + 1);
}

bool is_brief(const Event& event) {
  const uint64_t ns = expected_ns(event);
  return ns == Command::kUnknown || ns <= kBriefNs;
}

share::Visitor visitor_for(const Event& event) {
  return expected_ns(event) <= kShortVisitNs ? share::Visitor::kShortGuest : share::Visitor::kGuest;
}

void admit(Event& event) {
  WorkRecord& p = event.work;
  // It may even have ended, if its context is terminated.
  if (p.planned.load(std::memory_order_acquire)) return;
  event.mark_submitted();
  if (const Command* command = event.dependency_failed() ? nullptr : event.command()) {
    p.total = command->parts();
    p.needs_lease = command->needs_lease();
    p.team = command->team() && p.total > 0;
    p.gang = p.team || (command->gang() && p.total > 0);
    p.timed = command->wants_timing();
    p.stack_bytes = command->stack_bytes();
    p.estimate_ns.store(command->estimate_ns(), std::memory_order_relaxed);
    p.least = command->parts_at_least();
  }
  p.remaining.store(p.total + 1, std::memory_order_relaxed);
  if (p.total > 1 && !p.gang)
    cut(event, *event.command());
  else
    p.untaken.set(p.total, 1, 1);
  p.planned.store(true, std::memory_order_release);
}

}  // namespace conclave
