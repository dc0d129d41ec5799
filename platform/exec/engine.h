// SPDX-License-Identifier: Apache-2.0
// The engine: decides which thread runs which command, on which compute unit. One a process.
//
// - A compute unit is free in this process when its token lies in `idle_`; whoever takes the token
//   acts for it: its worker thread, woken by a post, or a host thread that waits and so helps
//   (Engine::wait). For device work it needs a right against other processes besides (tenure.h).
// - A ready command goes to one free unit; that one starts it and wakes as many others as it has
//   work for, each of which wakes more: a tree, so that nobody makes many system calls. Units of
//   the command (work-groups) are then taken in chunks with one atomic addition.
// - Where no unit is free, commands wait in the backlog, first come first served; so do running
//   commands that would like more units than were free, and those that had to let another process
//   have a unit. A unit that another process hands over goes on with the backlog.
// - Whoever ends a command's last unit completes its event, and goes on with what that made ready.
// No lock is shared by launches that find a free unit, and nobody waits while there is work.
#ifndef CONCLAVE_PLATFORM_EXEC_ENGINE_H_
#define CONCLAVE_PLATFORM_EXEC_ENGINE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "platform/base/error.h"
#include "platform/exec/backlog.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/compute_unit_set.h"
#include "platform/exec/tenure.h"
#include "platform/model/event.h"

namespace conclave {

class Engine {
 public:
  // Commands shorter than this are not worth waking a thread for: they wait for the host thread's
  // next flush or finish, or for more of their kind. About two sleeps and wake-ups.
  static constexpr uint64_t kWorthWakingNs = 20'000;
  // The same where all units are at work for others: a woken worker would not start sooner than the
  // host thread gets to its flush or finish.
  static constexpr uint64_t kWorthQueuingNs = 200'000;

  // Throws Error as Share::get() does.
  static Engine& get();

  // After fork() without exec: whether this process is a child of one that used the engine, whose
  // threads it therefore does not have.
  static bool lost_in_fork() { return lost_in_fork_.load(std::memory_order_relaxed); }

  // Sees to it that a ready command runs on a worker. Takes over the reference.
  void submit(Ref<Event> event);

  // Whether a kernel for `units` could start at once on a unit that nobody uses.
  bool has_free_unit(const ComputeUnitSet& units);

  // A command whose last dependency has just ended on this thread.
  void ready(Event& event);

  // Waits until `event` has ended; meanwhile runs `deferred` commands, and whatever they make
  // ready, on the calling thread as long as a compute unit is free.
  void wait(Event& event, std::vector<Ref<Event>> deferred);

  // --- For workers ---

  // Runs `event` (null: only the backlog), what follows from it and the backlog, until nothing is
  // left; then gives the unit's right and token back.
  void serve(const Tenure& tenure, Ref<Event> event);
  // Takes up a unit that another process has handed over, and serves; false where another thread
  // does so.
  bool take_up(ComputeUnit& cu);
  // Whether device work of this process waits for `cu`.
  bool waits_for(const ComputeUnit& cu) const { return backlog_.waits_for(cu.index()); }
  // Looks after the holders of the units that this process waits for: takes units from those that
  // died or were stopped, and goes beside those that have not let go for too long.
  void look_at_overdue_holders();

  uint32_t compute_units() const { return static_cast<uint32_t>(units_.size()); }

 private:
  // What the current thread runs commands as.
  struct Seat {
    Tenure tenure;
    bool host_thread;                   // with a stack of unknown size
    std::deque<Ref<Event>> ready = {};  // made ready by what ran here

    // Whether this thread may run a command itself.
    bool suits(const Event& event) const;
  };

  Engine();

  void sit_down(const Tenure& tenure, std::vector<Ref<Event>> ready, Ref<Event> first,
                const Event& until);
  void help(Event& event);
  static bool spin_on(const Event& event);
  void work(Seat& seat, Ref<Event> event, const Event* until);
  void run_one(Seat& seat, Event& event);
  void admit(Event& event);
  static void cut(Event& event);
  bool start(Event& event);
  void show(const Event& event);
  void take_part(Seat& seat, Event& event);
  void recruit(Event& event);
  void want_more(Event& event, uint64_t unit_ns);
  uint64_t run_units(Seat& seat, Event& event, uint64_t first, uint64_t count, bool timed);
  void run_team(Seat& seat, Event& event);
  static void fail(Event& event, const Error& error);
  static void charge(Seat& seat, const Event& event, uint64_t ns);
  void close(Event& event);
  void begin_gang(Event& event);
  void join_gang(Seat& seat, Event& event);
  void share_ready(Seat& seat);

  std::optional<Tenure> claim(const Event& event, bool prefer_here);
  void leave(Tenure& tenure);
  bool handed_over(const ComputeUnit& cu) const;
  bool post(const Tenure& tenure, Ref<Event> event);
  void add_to_backlog(Event& event);

  static thread_local Seat* seat_;
  static inline std::atomic<bool> lost_in_fork_{false};

  std::vector<std::unique_ptr<ComputeUnit>> units_;
  std::vector<int> unit_of_cpu_;  // CPU number -> compute unit pinned there
  AtomicComputeUnitSet idle_;
  Backlog backlog_;
  std::atomic<const char*> shown_{nullptr};  // the name of the kernel that was shown last
  // For look_at_overdue_holders(): the leases as seen last.
  std::mutex overdue_mutex_;
  struct SeenLease {
    uint64_t word = 0;
    uint64_t since = 0;  // when it was first seen
  };
  std::vector<SeenLease> seen_leases_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_ENGINE_H_
