// SPDX-License-Identifier: Apache-2.0
// The engine decides which thread runs which command on which compute unit. There is one per
// process.
//
// - Threads act for compute units, one thread at a time for each: the compute unit's worker, woken
//   by a post, or a host thread that waits and helps meanwhile (Engine::wait). A compute unit that
//   nobody acts for is free in this process. Device work also needs a right against other processes
//   (scoped_lease.h).
// - A ready command is cut (admission.h) and goes to one free compute unit (dispatcher.h). That one
//   starts it and wakes as many others as it has work for (execution.h). A command whose
//   work-groups must run at the same time needs all compute units at once (gang.h).
// - If no compute unit is free, commands wait in the run queue, first come, first served. So do
//   running commands that could use more compute units than were free, and those that had to let
//   another process have one. A compute unit that another process hands over goes on with the
//   run queue.
// - The thread that finishes a command's last work-group completes the event, and goes on with the
//   commands that became ready by that.
//
// Launches that find a free compute unit share no lock, and nobody waits while there is work.
#ifndef CONCLAVE_PLATFORM_EXEC_ENGINE_H_
#define CONCLAVE_PLATFORM_EXEC_ENGINE_H_

#include <atomic>
#include <cstdint>

#include "platform/base/compute_unit_set.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/dispatcher.h"
#include "platform/exec/launch_gaps.h"
#include "platform/exec/overdue_holders.h"
#include "platform/exec/ready_list.h"
#include "platform/exec/scoped_lease.h"
#include "platform/model/event.h"

namespace conclave {

class Engine {
 public:
  // Throws Error as Share::get() does.
  static Engine& get();

  // Starts workers in the background for commands that are going to come for `units`. Throws nothing,
  // as Dispatcher::prepare().
  static void prepare(const ComputeUnitSet& units) noexcept;

  // Whether this process was forked, without exec, from one that used the engine. It does not have
  // the threads of that one.
  static bool lost_in_fork() { return lost_in_fork_.load(std::memory_order_relaxed); }

  // Makes a ready command run: on a worker, or on the calling thread if no worker can be had. A
  // command that cannot run at all ends with an error.
  void submit(Ref<Event> event) noexcept;

  // Whether a kernel for `units` could start at once on a compute unit that nobody uses.
  bool has_free_unit(const ComputeUnitSet& units) { return dispatcher_.has_free_unit(units); }

  // Ends a command that has not begun; its context is terminated.
  void terminate(Event& event) noexcept;

  // A command can go on: what it waited for in the middle has happened (stream_watch.h).
  void resume(Ref<Event> event) noexcept;

  // A command whose last dependency has just ended on this thread.
  void ready(Event& event) noexcept;

  // Waits until `event` has ended. Helps with `before` (null: none), for which it may wait, and runs
  // `deferred` commands, and those that they make ready, on the calling thread as long as a compute
  // unit is free.
  void wait(Event& event, Event* before, ReadyList deferred);

  // --- For workers ---

  // Runs `event` (null: only the run queue), what follows from it, and the run queue, until nothing
  // is left. Then gives the right to the compute unit and its token back.
  void serve(ScopedLease lease, Ref<Event> event) noexcept;
  // Takes up a compute unit that another process has handed over, and serves; false if another
  // thread does so.
  bool take_up(ComputeUnit& cu);
  // Whether device work of this process waits for `cu`.
  bool waits_for(const ComputeUnit& cu) const {
    return dispatcher_.run_queue().waits_for(cu.index());
  }
  // Whether other processes may hand compute units over to this one.
  bool shares_units() const { return dispatcher_.run_queue().shares_units(); }
  LaunchGaps& launch_gaps() { return launch_gaps_; }
  void look_at_overdue_holders() { overdue_holders_.look(); }

  uint32_t compute_units() const { return static_cast<uint32_t>(dispatcher_.units().size()); }

 private:
  // A thread that acts for a compute unit.
  struct ActingThread {
    ScopedLease lease;
    bool host_thread;      // with a stack of unknown size
    ReadyList ready = {};  // made ready by what ran here

    // Whether this thread may run a command itself.
    bool suits(const Event& event) const { return Engine::suits(lease.cu(), host_thread, event); }
  };

  Engine();

  static bool suits(const ComputeUnit& cu, bool host_thread, const Event& event);
  void act(ScopedLease lease, ReadyList ready, Ref<Event> first, const Event* until);
  bool run_here(Event& event);
  static bool ends_with_context(Event& event) noexcept;
  void help(Event& event, const Event& awaited);
  static bool spin_on(const Event& event);
  void work(ActingThread& thread, Ref<Event> event, const Event* until);
  void run_one(ActingThread& thread, Event& event);
  void share_ready(ReadyList& ready);
  void put_off(Event& event);

  static thread_local ActingThread* acting_thread_;
  static inline std::atomic<bool> lost_in_fork_{false};

  Dispatcher dispatcher_;
  LaunchGaps launch_gaps_;
  OverdueHolders overdue_holders_{dispatcher_};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ENGINE_H_
