// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/execution.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "platform/base/checked_size.h"
#include "platform/base/clock.h"
#include "platform/base/log.h"
#include "platform/exec/admission.h"
#include "platform/exec/background_jobs.h"
#include "platform/exec/chunks.h"
#include "platform/exec/command.h"
#include "platform/exec/engine.h"
#include "platform/exec/gang.h"
#include "platform/exec/trace_run.h"
#include "platform/exec/waiting.h"
#include "platform/model/command_queue.h"
#include "platform/model/context.h"
#include "platform/share/share.h"

namespace conclave::execution {
namespace {

// Lets examining programs see what the process runs.
void show(const Event& event) {
  static std::atomic<const char*> shown{nullptr};  // the name of the kernel that was shown last
  if (!event.work.needs_lease) return;
  const char* name = event.command()->name();
  if (shown.load(std::memory_order_relaxed) == name) return;
  shown.store(name, std::memory_order_relaxed);
  share::Share::get().entry().kernel.set(name);
}

// Asks for one more compute unit for a running command. False if that is impossible.
bool want_later(Dispatcher& dispatcher, Event& event) {
  try {
    dispatcher.run_queue().push(event);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// Wakes a compute unit for each place of a running command, and queues for those that are missing.
void insist(Dispatcher& dispatcher, Event& event) {
  WorkRecord& p = event.work;
  while (p.wanted.load(std::memory_order_relaxed) > 0 && !p.exhausted()) {
    std::optional<ScopedLease> lease = dispatcher.claim(event, Dispatcher::Prefer::kElsewhere);
    if (!lease) {
      want_later(dispatcher, event);
      return;
    }
    if (!p.take_wanted()) return dispatcher.leave(*lease);
    if (!dispatcher.post(std::move(*lease), Ref<Event>(&event))) return;
  }
}

// Nobody knows how long the command takes, and its work-groups may be long. If it still runs after a
// moment, it gets its places. That moment is long for a first launch that turns out to be short.
void look_after(Dispatcher& dispatcher, Event& event) {
  constexpr useconds_t kMomentUs = 2'000;
  static constinit BackgroundJobs jobs("conclave-late");
  if (event.work.looked_after.exchange(true)) return;
  try {
    jobs.add([&dispatcher, event = Ref<Event>(&event)] {
      usleep(kMomentUs);
      insist(dispatcher, *event);
    });
  } catch (const std::bad_alloc&) {  // so it has fewer compute units
  }
}

// Wakes more compute units for a running command. Those that this thread wakes do the same, so all
// are awake after about twice the time that one takes. If there are too few, a thread looks again
// after each of its chunks: often a worker has ended a command, the host thread that waited for it
// has launched this one, and the worker is not yet free. A command queues for the rest if the next
// look comes late, or if others have it: all threads of a command that has queued meet at the run
// queue's lock.
void recruit(Dispatcher& dispatcher, Event& event) {
  WorkRecord& p = event.work;
  if (p.wanted.load(std::memory_order_relaxed) <= 0) return;
  // Beside the work of others a short command is done before a worker is awake.
  if (p.estimate_ns < kWorthQueuingNs && !dispatcher.has_free_unit(event.compute_units())) return;
  const int32_t most = std::max(2, static_cast<int32_t>(std::sqrt(p.places)));
  for (int32_t woken = 0; woken < most && p.wanted.load(std::memory_order_relaxed) > 0; ++woken) {
    if (p.exhausted()) return;
    const Dispatcher::Prefer prefer = dispatcher.preferred_worker();
    std::optional<ScopedLease> lease = dispatcher.claim(event, prefer);
    if (!lease) {
      if (p.wanted.load(std::memory_order_relaxed) <= 0) return;
      const uint64_t ns = p.estimate_ns;
      if (ns == Command::kUnknown) look_after(dispatcher, event);
      if (p.waiting.listed.load(std::memory_order_relaxed)) return;
      // While workers are being started units are free, and nobody should wait for the start.
      const uint64_t first_chunk = std::min(p.least, p.most);
      const bool looks_late = ns != Command::kUnknown && prefer != Dispatcher::Prefer::kStarted &&
                              (CheckedSize(ns) * first_chunk).saturated() / p.total > kChunkNs;
      if (looks_late || dispatcher.waits_for_others(event.compute_units()))
        want_later(dispatcher, event);
      return;
    }
    if (!p.take_wanted()) return dispatcher.leave(*lease);
    if (!dispatcher.post(std::move(*lease), Ref<Event>(&event))) return;
  }
}

// A command on several compute units has ended.
void note_end(WorkRecord& p, Command& command) {
  const uint64_t now = now_ns();
  Engine::get().launch_gaps().end(now);
  if (p.turn.measured && p.error.load(std::memory_order_relaxed) == CL_SUCCESS)
    command.dealt(p.turn.way, static_cast<float>(now - p.began_ns) / static_cast<float>(p.total));
}

// A command turns out to be longer than was expected: recruits as many compute units as it is
// worth.
void want_more(Dispatcher& dispatcher, Event& event, uint64_t part_ns) {
  WorkRecord& p = event.work;
  const uint64_t units = event.compute_units().size();
  const uint64_t whole_ns = (CheckedSize(p.total) * part_ns).saturated();
  const auto places =
      static_cast<int32_t>(useful_compute_units(units, p.total, whole_ns, kWorthWakingNs) - 1);
  p.estimate_ns = whole_ns;
  if (places > p.places) p.wanted.fetch_add(places - p.places);
  recruit(dispatcher, event);
}

// Takes part in a command of several parts.
void take_part(Dispatcher& dispatcher, ScopedLease& lease, Event& event) {
  WorkRecord& p = event.work;
  recruit(dispatcher, event);
  TraceRun trace;
  uint64_t done = 0;
  for (ChunkSize chunk(p.chunk, p.most, p.least, p.timed);;) {
    const auto [first, count] = p.untaken.take(lease.cu().index(), chunk.parts());
    if (count == 0) break;
    trace.begin(lease, event);  // the command cannot end before this thread has noted its parts
    const uint64_t ns = run_parts(lease, event, first, count, chunk.timed());
    done += count;
    chunk.took(ns);
    if (ns > kChunkNs && !p.measured.exchange(true, std::memory_order_relaxed))
      want_more(dispatcher, event, ns / count);
    else if (p.wanted.load(std::memory_order_relaxed) > 0 &&
             dispatcher.has_free_unit(event.compute_units()))
      recruit(dispatcher, event);  // a compute unit has become idle meanwhile
    if (lease.is_over() && !p.exhausted()) {
      // The rest waits for its next turn, here or elsewhere.
      p.wanted.fetch_add(1);
      if (want_later(dispatcher, event) && lease.yield()) break;
      // Nobody wants the compute unit any more.
    }
  }
  // Another thread may be putting the command into the run queue. Then it sees here that nothing is
  // left, or this thread sees that the command is listed.
  if (p.exhausted()) dispatcher.run_queue().remove(event);
  trace.end();  // a thread that waits for the command finds it recorded
  note_done(event, done);
}

}  // namespace

void run(Dispatcher& dispatcher, ScopedLease& lease, Event& event) {
  WorkRecord& p = event.work;
  const bool first = !p.started.exchange(true);
  if (first && !start(event)) return;
  if (p.total > 1) return take_part(dispatcher, lease, event);
  if (!first && !p.resumed.exchange(false)) return;
  TraceRun trace;
  trace.begin(lease, event);
  for (;;) {
    p.untaken.take(0, 1);
    run_parts(lease, event, 0, 1, p.timed);
    Waiting* waiting =
        p.error.load(std::memory_order_relaxed) ? nullptr : event.command()->waiting();
    if (!waiting) break;
    p.untaken.put_back();
    const auto go_on = [event = Ref<Event>(&event)] { Engine::get().resume(event); };
    if (waiting->park(go_on)) return;
    if (lease.is_over() || !dispatcher.run_queue().empty()) return resume(dispatcher, event, false);
  }
  trace.end();
  close(event, &lease);
}

void resume(Dispatcher& dispatcher, Event& event, bool at_once) noexcept {
  event.work.resumed.store(true);
  try {
    if (!at_once || !dispatcher.send(Ref<Event>(&event))) dispatcher.add_to_run_queue(event);
  } catch (const std::exception& error) {
    fail(event, error);
    close(event);
  }
}

bool start(Event& event) {
  WorkRecord& p = event.work;
  const bool terminated = event.context().is_terminated();
  if (event.dependency_failed()) {
    event.complete(terminated ? CL_CONTEXT_TERMINATED_KHR
                              : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return false;
  }
  if (terminated) [[unlikely]]
    fail(event, context_terminated());
  event.mark_running();
  show(event);
  if (p.places > 0) Engine::get().launch_gaps().begin(p.began_ns = now_ns());
  if (p.total == 1 && !p.gang) return true;  // the caller runs all of it
  // Others may be running it already; it does not end before its status says that it runs.
  if (p.remaining.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    close(event);
    return false;
  }
  return true;
}

uint64_t run_parts(ScopedLease& lease, Event& event, uint64_t first, uint64_t count, bool timed) {
  if (event.work.error.load(std::memory_order_relaxed) != CL_SUCCESS) return 0;
  Command& command = *event.command();
  ComputeUnit& cu = lease.cu();
  uint64_t ns = 0;
  try {
    if (timed) {
      const uint64_t start = now_ns();
      command.run(cu, first, count);
      ns = now_ns() - start;
      command.measured(count, ns);
    } else {
      command.run(cu, first, count);
    }
    if (cu.arbitrated())
      charge(lease, event, timed ? ns : command.estimate_ns() * count / event.work.total);
  } catch (const std::exception& error) {
    fail(event, error);
  }
  return ns;
}

void note_done(Event& event, uint64_t parts) {
  if (parts > 0 && event.work.remaining.fetch_sub(parts, std::memory_order_acq_rel) == parts)
    close(event);
}

void fail(Event& event, const std::exception& exception) noexcept {
  const auto* error = dynamic_cast<const Error*>(&exception);
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&exception);
  cl_int none = CL_SUCCESS;
  event.work.error.compare_exchange_strong(none, error       ? error->code()
                                                 : no_memory ? CL_OUT_OF_HOST_MEMORY
                                                             : CL_OUT_OF_RESOURCES);
  const char* text = no_memory ? "no host memory for a command" : exception.what();
  if (*text == 0 || event.work.reported.exchange(true)) return;
  log::error(text);
  event.queue()->report(text);
}

void abandon(Event& event, const std::exception& error) noexcept {
  WorkRecord& p = event.work;
  fail(event, error);
  if (p.gang) return gang::abandon(event);
  const bool first = !p.started.exchange(true);
  if (first && !start(event)) return;
  if (p.total > 1)
    skip_rest(event);
  else if (first)
    close(event);
}

void skip_rest(Event& event) {
  WorkRecord& p = event.work;
  note_done(event, p.untaken.take_rest());
}

void charge(ScopedLease& lease, const Event& event, uint64_t ns) {
  if (lease.cu().arbitrated() && event.work.needs_lease) lease.use(ns, event.queue()->cost(ns));
}

void close(Event& event, ScopedLease* lease) {
  if (Command* command = event.command()) {
    try {
      command->finish();
    } catch (const std::exception& error) {
      fail(event, error);
    }
    if (event.work.places > 0) note_end(event.work, *command);
    if (command->needs_lease()) {
      if (lease)
        lease->count_launch(event.work.total);
      else
        show_launches(1, event.work.total);
    }
  }
  event.complete(event.work.error.load(std::memory_order_relaxed));
}

}  // namespace conclave::execution
