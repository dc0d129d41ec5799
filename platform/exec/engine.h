// SPDX-License-Identifier: Apache-2.0
// The engine: decides which thread runs which command, on which compute unit. One a process.
//
// - Threads act for compute units, one at a time for each: the unit's worker, woken by a post, or a
//   host thread that waits and so helps (Engine::wait). A unit that nobody acts for is free in this
//   process; for device work it takes a right against other processes besides (tenure.h).
// - A ready command is cut (admission.h) and goes to one free unit (dispatcher.h), which starts it
//   and wakes as many others as it has work for (execution.h). A command whose units have to run at
//   the same time needs all compute units at once (gang.h).
// - Where no unit is free, commands wait in the backlog, first come first served; so do running
//   commands that would like more units than were free, and those that had to let another process
//   have a unit. A unit that another process hands over goes on with the backlog.
// - Whoever ends a command's last unit completes its event, and goes on with what that made ready.
// No lock is shared by launches that find a free unit, and nobody waits while there is work.
#ifndef CONCLAVE_PLATFORM_EXEC_ENGINE_H_
#define CONCLAVE_PLATFORM_EXEC_ENGINE_H_

#include <atomic>
#include <cstdint>

#include "platform/base/compute_unit_set.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/dispatcher.h"
#include "platform/exec/overdue_holders.h"
#include "platform/exec/ready_list.h"
#include "platform/exec/tenure.h"
#include "platform/model/event.h"

namespace conclave {

class Engine {
 public:
  // Throws Error as Share::get() does.
  static Engine& get();

  // After fork() without exec: whether this process is a child of one that used the engine, whose
  // threads it therefore does not have.
  static bool lost_in_fork() { return lost_in_fork_.load(std::memory_order_relaxed); }

  // Sees to it that a ready command runs, on a worker, or on the calling thread where no worker can
  // be had. A command that cannot run at all ends with an error.
  void submit(Ref<Event> event) noexcept;

  // Whether a kernel for `units` could start at once on a unit that nobody uses.
  bool has_free_unit(const ComputeUnitSet& units) { return dispatcher_.has_free_unit(units); }

  // What a command has waited for in the middle is there (stream_watch.h).
  void resume(Ref<Event> event) noexcept;

  // A command whose last dependency has just ended on this thread.
  void ready(Event& event) noexcept;

  // Waits until `event` has ended; meanwhile runs `deferred` commands, and whatever they make
  // ready, on the calling thread as long as a compute unit is free.
  void wait(Event& event, ReadyList deferred);

  // --- For workers ---

  // Runs `event` (null: only the backlog), what follows from it and the backlog, until nothing is
  // left; then gives the unit's right and token back.
  void serve(const Tenure& tenure, Ref<Event> event) noexcept;
  // Takes up a unit that another process has handed over, and serves; false where another thread
  // does so.
  bool take_up(ComputeUnit& cu);
  // Whether device work of this process waits for `cu`.
  bool waits_for(const ComputeUnit& cu) const {
    return dispatcher_.backlog().waits_for(cu.index());
  }
  // Whether other processes may hand units over to this one.
  bool shares_units() const { return dispatcher_.backlog().shares_units(); }
  void look_at_overdue_holders() { overdue_holders_.look(); }

  uint32_t compute_units() const { return static_cast<uint32_t>(dispatcher_.units().size()); }

 private:
  // What the current thread runs commands as.
  struct Seat {
    Tenure tenure;
    bool host_thread;      // with a stack of unknown size
    ReadyList ready = {};  // made ready by what ran here

    // Whether this thread may run a command itself.
    bool suits(const Event& event) const;
  };

  Engine();

  void sit_down(const Tenure& tenure, ReadyList ready, Ref<Event> first, const Event* until);
  bool run_here(Event& event);
  void help(Event& event);
  static bool spin_on(const Event& event);
  void work(Seat& seat, Ref<Event> event, const Event* until);
  void run_one(Seat& seat, Event& event);
  void share_ready(ReadyList& ready);
  void put_off(Event& event);

  static thread_local Seat* seat_;
  static inline std::atomic<bool> lost_in_fork_{false};

  Dispatcher dispatcher_;
  OverdueHolders overdue_holders_{dispatcher_};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ENGINE_H_
