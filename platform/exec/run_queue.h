// SPDX-License-Identifier: Apache-2.0
// The ready commands of this process for which no compute unit was free. They are served first
// come, first served, for each set of compute units (device or sub-device) on which commands may
// run. The oldest kernel of each set is published to other processes as a request.
#ifndef CONCLAVE_PLATFORM_EXEC_RUN_QUEUE_H_
#define CONCLAVE_PLATFORM_EXEC_RUN_QUEUE_H_

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/scoped_lease.h"
#include "platform/model/event.h"

namespace conclave {

// The compute units on which a command, or the next member of a gang, may run.
ComputeUnitSet allowed_units(const Event& event);

class RunQueue {
 public:
  using Units = std::vector<std::unique_ptr<ComputeUnit>>;
  explicit RunQueue(const Units& units) : units_(units) {}

  // Adds a command that wants as many compute units as its work record says, unless it is there
  // already. Throws Error{CL_OUT_OF_RESOURCES} if none of its compute units has a worker that could
  // take it up, or std::bad_alloc; nothing has changed then.
  void push(Event& event);

  // The oldest command that `lease` may run; null if there is none. May yield the lease to
  // another process's older command.
  Ref<Event> pop(ScopedLease& lease);

  // Takes an event off the list: it has got all the compute units that it wanted.
  // False if it is not there.
  bool remove(Event& event);

  // Publishes everything again if the entry of the process table in which it was published is gone,
  // or if somebody has changed it there.
  void stay_published();

  // How long kernels have waited without any of them being taken up; 0 if none waits.
  uint64_t standstill_ns();

  // Changes with every push.
  uint32_t pushes() const { return pushes_.load(); }
  bool empty() const { return size_.load(std::memory_order_relaxed) == 0; }
  // Whether any command waits that needs no right.
  bool has_host_tasks() const { return host_tasks_.load() > 0; }
  // Whether a kernel waits for `unit`.
  bool waits_for(uint32_t unit) const { return wanted_[unit / 64].load() >> (unit % 64) & 1; }
  // As what this process would visit `unit` to run the oldest command that a guest may run; none if
  // no such command waits for it.
  std::optional<share::Visitor> next_visitor(uint32_t unit);
  // Whether this process waits for compute units, or has done so lately. Only then may other
  // processes hand it one.
  bool shares_units() const;

 private:
  // A member of a gang must have the lease: as a guest it would wait beside the unit's holder.
  enum class Kind { kHostTask, kKernel, kGang };
  // Commands that may run on the same compute units. The group holds a reference to each.
  struct Group {
    using Hook =
        boost::intrusive::member_hook<WorkRecord, WorkRecord::ListHook, &WorkRecord::waiting_hook>;
    using Entries =
        boost::intrusive::list<WorkRecord, Hook, boost::intrusive::constant_time_size<false>>;
    ComputeUnitSet units;
    Kind kind;
    uint32_t request = share::kRequests;  // its number; kRequests: none
    Entries entries = {};

    WorkRecord::Waiting& first() { return entries.front().waiting; }
  };
  // A request for compute units as last published.
  struct Published {
    ComputeUnitSet units;
    uint64_t ticket = 0;
  };

  static bool may_visit(const Group& group);
  Group& group_of(const Event& event);
  bool may_run(const ScopedLease& lease, const Group& group) const;
  template <class Suits>
  Group* oldest(uint32_t unit, Suits&& suits);
  ComputeUnitSet shared(const ComputeUnitSet& units) const;
  bool needs_right(const Group& group) const;
  void count(const Group& group, uint32_t added, uint32_t removed);
  void start_worker(const ComputeUnitSet& units);
  void publish();
  bool has_entry();
  void watch_others();
  void assign_requests();
  bool publish(uint32_t request);
  ComputeUnitSet with_threads(const ComputeUnitSet& units, bool start);
  void drop(Group& group, Event& event);
  void wake_one(const ComputeUnitSet& units);
  void stir_all();
  void count_wanted();

  const Units& units_;
  std::atomic<uint32_t> size_{0};
  std::atomic<uint32_t> host_tasks_{0};  // how many of these need no right
  std::atomic<uint32_t> pushes_{0};
  std::atomic<uint64_t> wanted_[ComputeUnitSet::kWords] = {};
  std::mutex mutex_;
  uint64_t next_order_ = 1;
  std::list<Group> groups_;
  Published published_[share::kRequests];
  const share::Membership* published_in_ = nullptr;
  const share::Segment* watched_ = nullptr;  // for deaths
  uint64_t taken_ns_ = 0;                    // when a kernel was last taken up
  std::atomic<uint64_t> shared_ns_{0};       // when a request was last published or withdrawn
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_RUN_QUEUE_H_
