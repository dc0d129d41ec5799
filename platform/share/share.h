// SPDX-License-Identifier: Apache-2.0
// What this process has in the shared segment: its entry, its leases, its part of the heaps. There
// is one per process, opened when the device is first used. At its end a process leaves if nothing
// of it can run any more; otherwise others remove it when it is gone. A process that finds its
// entry gone, because it has left or somebody has removed it, enters again. A process that finds
// the segment damaged leaves it for a private one.
#ifndef CONCLAVE_PLATFORM_SHARE_SHARE_H_
#define CONCLAVE_PLATFORM_SHARE_SHARE_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/share/access_modes.h"
#include "platform/share/damaged_segment.h"
#include "platform/share/heap.h"
#include "platform/share/leases.h"
#include "platform/share/meeting_place.h"
#include "platform/share/registry.h"
#include "platform/share/segment.h"
#include "platform/share/unit_placement.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::share {

// The process in a segment, for as long as it has one entry there. It never changes: a process that
// enters again, or enters another segment, gets a new one. The former one stays, with its segment
// mapped, for threads that have just looked there. They find that its entry is gone.
struct Membership {
  Membership(Segment& in, Owner self);

  // Whether the entry is still this process's.
  bool is_entered() const {
    return segment.layout().process(self.slot()).state.load(std::memory_order_relaxed) == state;
  }

  Segment& segment;
  const Owner self;
  const uint64_t state;                 // of the entry
  Policy policy = Policy::kInterleave;  // as it was when the process first entered the segment
  Registry registry;
  Leases leases;
  Heap heap;
  XclbinSlot xclbin_slot;
  AccessModes access_modes;
};

class Share {
 public:
  // Opens the segment and enters this process, or in a forked child of a process that had done so,
  // the child. The segment is the one with the configured name. Without such a name it is the
  // daemon's for this user if a daemon runs, else the one in which this user's processes meet, else
  // a private one, with a warning. Throws Error{CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES} if
  // that fails.
  static Share& get();
  // The same; null if this process has not opened it.
  static Share* if_open();
  // Leaves the table if nothing of this process runs or waits to run.
  static void leave_at_end() noexcept;

  // A cl_context begins or ends: an implicit context on the process's compute units. Throws
  // Error{CL_DEVICE_NOT_AVAILABLE}, naming pid, command and since when, if another process has the
  // device alone, or if this one wants it alone and others use it.
  void open_context();
  void close_context();
  // Who else has the device alone, in words; "" if nobody has.
  std::string exclusive_holder();

  const std::vector<UnitPlacement>& units() const { return units_; }
  // The present membership. The objects stay for ever, so an address tells whether the process has
  // entered again since.
  Membership& membership() const { return *now_.load(std::memory_order_acquire); }
  const Layout& layout() const { return segment().layout(); }
  Segment& segment() const { return membership().segment; }
  Registry& registry() const { return membership().registry; }
  Leases& leases() const { return membership().leases; }
  Heap& heap() const { return membership().heap; }
  XclbinSlot& xclbin_slot() const { return membership().xclbin_slot; }
  Owner self() const { return membership().self; }
  // The policy that this process found when it entered: a process that changes it in the segment
  // does not change this one's rights.
  Policy policy_at_entry() const { return membership().policy; }

  // Enters the process again if its entry is gone: with its contexts, and without what belonged to
  // the entry (leases, requests, heap blocks, contexts on the xclbin, access modes). False if
  // that fails, which is logged; this is for threads that cannot wait for a better time.
  bool stay_entered() noexcept { return membership().is_entered() || enter_again(); }
  // The process's entry; `nowhere` if the process is no longer in the table.
  ProcessEntry& entry() noexcept {
    if (!stay_entered()) return nowhere;
    const Membership& here = membership();
    return here.segment.layout().process(here.self.slot());
  }

  // Moves to `segment`: with the process's contexts, and without what it had in the former one, as
  // above. Commands that run or wait end as they would have. Throws Error, and stays where it is,
  // if the process cannot enter there.
  void move_to(std::unique_ptr<Segment> segment);
  // Leaves the segment of `damaged` for a private one, and logs `why`. Does nothing if the process
  // has left it already. False if that fails, which is logged.
  bool leave(const Membership& damaged, const std::string& why) noexcept;
  // Leaves the segment if its header has been overwritten.
  void leave_if_damaged() noexcept;
  // Calls `body`. If that finds the segment damaged, leaves the segment and calls `body` again.
  template <class Body>
  auto beyond_damage(Body body) {
    const Membership& here = membership();
    try {
      return body();
    } catch (const DamagedSegment& damage) {
      if (!leave(here, damage.text())) throw;
    }
    return body();
  }

 private:
  Share();
  std::unique_ptr<Segment> find_segment();
  std::unique_ptr<Segment> join();
  void stay_reachable();
  void open();
  std::unique_ptr<Membership> enter(Segment& segment);
  void enter_anew(Membership& former);
  void become(std::unique_ptr<Membership> membership);
  void move(std::unique_ptr<Segment> segment);
  bool enter_again() noexcept;
  bool may_enter_again();
  bool go_alone(const std::string& why) noexcept;
  static void settle(Membership& fresh);
  bool is_idle() const;
  uint32_t count_context(int change);
  uint64_t contexts() const;
  Owner other_user() const;

  const std::vector<UnitPlacement> units_;
  const std::string name_;             // under which processes meet
  std::optional<MeetingPlace> place_;  // none: the user has no directory for it
  std::atomic<Membership*> now_{nullptr};
  // All segments that there have been; under the lock, like the following.
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<std::unique_ptr<Membership>> memberships_;
  uint32_t contexts_ = 0;
  uint64_t first_entry_ns_ = 0;  // of the latest series of entries
  int entries_ = 0;              // in it
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_SHARE_H_
