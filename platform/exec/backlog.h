// SPDX-License-Identifier: Apache-2.0
// The ready commands of this process for which no compute unit was free: first come, first served,
// for each set of units (device or sub-device) that commands may run on. What other processes need
// to know of it, the oldest kernel of each set, is published as a wish.
#ifndef CONCLAVE_PLATFORM_EXEC_BACKLOG_H_
#define CONCLAVE_PLATFORM_EXEC_BACKLOG_H_

#include <atomic>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/tenure.h"
#include "platform/model/event.h"

namespace conclave {

// The units on which a command may run, or a gang's next member.
ComputeUnitSet allowed_units(const Event& event);

class Backlog {
 public:
  using Units = std::vector<std::unique_ptr<ComputeUnit>>;
  explicit Backlog(const Units& units) : units_(units) {}

  // Adds a command that wants as many units as its work record says, unless it is there already.
  // Throws Error{CL_OUT_OF_RESOURCES} where none of its units has a worker that could take it up,
  // or std::bad_alloc; nothing has changed then.
  void push(Event& event);

  // The oldest command that `tenure` may run; null where there is none. A tenure with a lease may
  // be ended in favour of another process's older command.
  Ref<Event> pop(Tenure& tenure);

  // Takes an event off the list: all its units have been taken.
  void remove(Event& event);

  // Publishes everything anew where that was in an entry of the process table which is gone, or
  // somebody has changed it there.
  void stay_published();

  // For how long a kernel has waited and none been taken up; 0 where none waits.
  uint64_t standstill_ns();

  // Changes with every push.
  uint32_t pushes() const { return pushes_.load(); }
  bool empty() const { return size_.load(std::memory_order_relaxed) == 0; }
  // Whether there is anything that runs without a right.
  bool has_errands() const { return errands_.load() > 0; }
  // Whether a kernel waits for `unit`.
  bool waits_for(uint32_t unit) const { return wanted_[unit / 64].load() >> (unit % 64) & 1; }
  // Whether this process waits for units, or has done so lately: only then may other processes hand
  // it something over.
  bool shares_units() const;

 private:
  // A member of a gang has to have the lease: it would wait beside the unit's holder.
  enum class Kind { kErrand, kKernel, kGang };
  // Commands that may run on the same units. Each is held by a reference.
  struct Group {
    using Hook =
        boost::intrusive::member_hook<WorkRecord, WorkRecord::ListHook, &WorkRecord::waiting_hook>;
    using Entries =
        boost::intrusive::list<WorkRecord, Hook, boost::intrusive::constant_time_size<false>>;
    ComputeUnitSet units;
    Kind kind;
    uint32_t wish = share::kWishes;  // that tells the others of it; kWishes: none
    Entries entries = {};

    WorkRecord::Waiting& first() { return entries.front().waiting; }
  };
  // A wish as last published.
  struct Published {
    ComputeUnitSet units;
    uint64_t ticket = 0;
  };

  Group& group_of(const Event& event);
  bool may_run(const Tenure& tenure, const Group& group) const;
  Group* oldest(const Tenure& tenure);
  ComputeUnitSet shared(const ComputeUnitSet& units) const;
  bool needs_right(const Group& group) const;
  void count(const Group& group, uint32_t added, uint32_t removed);
  void start_worker(const ComputeUnitSet& units);
  void publish();
  bool has_entry();
  void watch_others();
  void share_wishes();
  bool publish(uint32_t wish);
  ComputeUnitSet with_threads(const ComputeUnitSet& units, bool start);
  void drop(Group& group, Event& event);
  void wake_one(const ComputeUnitSet& units);
  void stir_all();
  void count_wanted();

  const Units& units_;
  std::atomic<uint32_t> size_{0};
  std::atomic<uint32_t> errands_{0};  // of these, what needs no right
  std::atomic<uint32_t> pushes_{0};
  std::atomic<uint64_t> wanted_[ComputeUnitSet::kWords] = {};
  std::mutex mutex_;
  uint64_t next_order_ = 1;
  std::list<Group> groups_;
  Published published_[share::kWishes];
  const share::Membership* published_in_ = nullptr;
  const share::Segment* watched_ = nullptr;  // for deaths
  uint64_t taken_ns_ = 0;                    // when a kernel was last taken up
  std::atomic<uint64_t> shared_ns_{0};       // when a wish was last published or withdrawn
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_BACKLOG_H_
