// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/trace_run.h"

#include "platform/base/clock.h"
#include "platform/exec/command.h"

namespace conclave {
namespace {

using share::TraceRecord;

// A number that no other command of the process has. Each thread has its own 2^40 numbers, so that
// they need no common counter.
uint64_t fresh_number() {
  static std::atomic<uint64_t> threads{0};
  thread_local uint64_t last = threads.fetch_add(1, std::memory_order_relaxed) << 40;
  return ++last;
}

// Several threads may begin with a command of several parts at the same time.
uint64_t number_of(WorkRecord& work) {
  uint64_t number = work.trace_number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const uint64_t fresh = fresh_number();
  if (work.total > 1)
    return work.trace_number.compare_exchange_strong(number, fresh) ? fresh : number;
  work.trace_number.store(fresh, std::memory_order_relaxed);
  return fresh;
}

void fill(TraceRecord& record, TraceRecord::Kind kind, Event& event) {
  record.kind = kind;
  record.number = number_of(event.work);
  record.work_groups = event.work.total;
  record.type = event.type();
  if (event.work.needs_lease) record.flags = TraceRecord::kDeviceWork;
  if (const Command* command = event.command()) record.set_name(command->name());
}

}  // namespace

TraceRecord trace_record(TraceRecord::Kind kind, Event& event) noexcept {
  TraceRecord record;
  fill(record, kind, event);
  return record;
}

void TraceRun::start(const ScopedLease& lease, Event& event) noexcept {
  fill(record_.emplace(), TraceRecord::kRun, event);
  record_->unit = lease.cu().shared();
  if (lease.right() == Right::kGuest) record_->flags |= TraceRecord::kGuest;
  record_->begin_ns = now_ns();
}

void TraceRun::write() noexcept {
  record_->end_ns = now_ns();
  share::trace::record(*record_);
  record_.reset();
}

void trace_wait(const ScopedLease& lease, Event& event, uint64_t since_ns, uint64_t now) noexcept {
  TraceRecord record = trace_record(TraceRecord::kWait, event);
  record.unit = lease.cu().shared();
  record.begin_ns = since_ns;
  record.end_ns = now;
  share::trace::record(record);
}

void trace_command(Event& event) noexcept {
  TraceRecord record = trace_record(TraceRecord::kCommand, event);
  record.queued_ns = event.time(Event::kQueued);
  record.submitted_ns = event.time(Event::kSubmitted);
  record.begin_ns = event.time(Event::kStarted);
  record.end_ns = event.time(Event::kEnded);
  share::trace::record(record);
}

void trace_fault(const ComputeUnit& cu, const char* kernel) noexcept {
  TraceRecord record;
  record.kind = TraceRecord::kFault;
  record.unit = cu.shared();
  record.begin_ns = record.end_ns = now_ns();
  record.set_name(kernel);
  share::trace::record(record);
}

}  // namespace conclave
