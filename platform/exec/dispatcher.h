// SPDX-License-Identifier: Apache-2.0
// Where a ready command goes: to a free compute unit, or else into the run queue.
//
// A compute unit is free in this process while its token lies in the idle set. A thread that takes
// the token acts for the compute unit until it gives the token back. Device work also needs a right
// against other processes (scoped_lease.h).
//
// No compute unit stays idle beside work that it could do: a thread that adds to the run queue
// looks for an idle compute unit afterwards, and a thread that gives a token back looks at the run
// queue afterwards.
#ifndef CONCLAVE_PLATFORM_EXEC_DISPATCHER_H_
#define CONCLAVE_PLATFORM_EXEC_DISPATCHER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/run_queue.h"
#include "platform/exec/scoped_lease.h"
#include "platform/model/event.h"

namespace conclave {

class Dispatcher {
 public:
  // Throws Error as Share::get() does.
  Dispatcher();

  // By index.
  const RunQueue::Units& units() const { return units_; }
  RunQueue& run_queue() { return run_queue_; }
  const RunQueue& run_queue() const { return run_queue_; }

  // While there is one, workers are being started.
  class Preparing {
   public:
    explicit Preparing(Dispatcher& dispatcher) : count_(dispatcher.preparing_) { ++count_; }
    ~Preparing() { --count_; }
    Preparing(const Preparing&) = delete;
    Preparing& operator=(const Preparing&) = delete;

   private:
    std::atomic<uint32_t>& count_;
  };
  // Starts the workers of `units` and gives each the memory that most kernels need. Throws nothing:
  // what cannot be had now is asked for again by the first work for the compute unit.
  void prepare(const ComputeUnitSet& units) noexcept;

  // --- Commands ---

  // Hands an admitted command to the worker of a free compute unit; false if none is free.
  bool send(const Ref<Event>& event);
  // The same, but puts the command into the run queue if no compute unit is free.
  void dispatch(const Ref<Event>& event);
  // Asks for one more compute unit for the command, as soon as there is one.
  void add_to_run_queue(Event& event);

  // --- Units ---

  // Whether device work for `units` could start at once on a compute unit that nobody uses.
  bool has_free_unit(const ComputeUnitSet& units);
  // Whether another process keeps this one from using one of `units`.
  bool waits_for_others(const ComputeUnitSet& units) const;
  // Which compute unit is best: that of the calling thread's CPU for a host thread that runs the
  // work itself, another one for a worker. kStarted: only one whose worker has a thread.
  enum class Prefer { kHere, kElsewhere, kStarted };
  // Takes the token of an idle compute unit for `event`, and the right to run it there; nothing if
  // there is none.
  std::optional<ScopedLease> claim(const Event& event, Prefer prefer);
  // What is best for a further worker. While workers are being started, those that run suffice: all
  // who change the address space wait for each other.
  Prefer preferred_worker() const {
    return preparing_.load(std::memory_order_relaxed) > 0 ? Prefer::kStarted : Prefer::kElsewhere;
  }
  // Gives right, token and `event` (null: the run queue) to the compute unit's worker. Returns
  // false, and gives right and token back, if the worker has no thread.
  bool post(ScopedLease lease, Ref<Event> event);
  // Ends the right and gives the token back.
  void leave(ScopedLease& lease);

  // The token alone.
  bool take(const ComputeUnit& cu) { return idle_.take(cu.index()); }
  void give(const ComputeUnit& cu) { idle_.give(cu.index()); }

  // Whether another process, or another thread of this one, has handed over the compute unit.
  static bool handed_over(const ComputeUnit& cu) {
    return cu.arbitrated() && cu.leases().granted(cu.shared());
  }

 private:
  int unit_here() const;
  template <class Attempt>
  int find_idle(const ComputeUnitSet& allowed, Prefer prefer, Attempt&& attempt);

  RunQueue::Units units_;
  std::vector<int> unit_of_cpu_;  // CPU number -> compute unit pinned there
  // Work goes to the idle compute units from this one on: so a launch finds the data of the launch
  // before in its CPUs' caches, and workers that are still awake. Processes have different ones.
  uint32_t first_unit_ = 0;
  AtomicComputeUnitSet idle_;
  std::atomic<uint32_t> preparing_{0};
  RunQueue run_queue_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_DISPATCHER_H_
