// SPDX-License-Identifier: Apache-2.0
// What the engine records where somebody traces (share/trace.h).
#ifndef CONCLAVE_PLATFORM_EXEC_TRACE_RUN_H_
#define CONCLAVE_PLATFORM_EXEC_TRACE_RUN_H_

#include <optional>

#include "platform/exec/scoped_lease.h"
#include "platform/model/event.h"
#include "platform/share/trace.h"

namespace conclave {

// A record about a command, without times.
share::TraceRecord trace_record(share::TraceRecord::Kind kind, Event& event) noexcept;

// A compute unit takes part in a command, from the first begin() to end() or the end of the scope.
class TraceRun {
 public:
  TraceRun() = default;
  ~TraceRun() { end(); }
  TraceRun(const TraceRun&) = delete;
  TraceRun& operator=(const TraceRun&) = delete;

  // The caller has a part of the command to do: a command without any may have ended, and another
  // thread may be destroying what the record is made of.
  void begin(const ScopedLease& lease, Event& event) {
    if (share::trace::is_on() && !record_) [[unlikely]]
      start(lease, event);
  }
  void end() {
    if (record_) [[unlikely]]
      write();
  }

 private:
  void start(const ScopedLease& lease, Event& event) noexcept;
  void write() noexcept;

  std::optional<share::TraceRecord> record_;
};

// `event` has waited since `since_ns`, and now got the compute unit of `lease`.
void trace_wait(const ScopedLease& lease, Event& event, uint64_t since_ns, uint64_t now) noexcept;
// A command of a queue with profiling has ended.
void trace_command(Event& event) noexcept;
// A fault has ended the kernel of that name on `cu`.
void trace_fault(const ComputeUnit& cu, const char* kernel) noexcept;

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_TRACE_RUN_H_
