// SPDX-License-Identifier: Apache-2.0
// What this process has in the shared segment: its entry, its leases, its part of the heaps. One
// per process, opened when the device is first used. At its end a process leaves where nothing of
// it can run any more; else others remove it when it is gone. A process that finds its entry gone,
// for it has left or somebody has removed it, enters again. One that finds the segment damaged
// leaves it for a private one.
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
#include "platform/share/image_slot.h"
#include "platform/share/leases.h"
#include "platform/share/meeting_place.h"
#include "platform/share/registry.h"
#include "platform/share/segment.h"
#include "platform/share/unit_placement.h"

namespace conclave::share {

// What the process is in a segment while it has one entry there. Nothing of it changes: a process
// that enters again, or another segment, gets another one. The former one stays where it is, its
// segment mapped, for threads that have just looked there: they find that its entry is gone.
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
  ImageSlot image_slot;
  AccessModes access_modes;
};

class Share {
 public:
  // Opens the segment (of the configured name, else of the default one: the daemon's for this user
  // where one runs, else that in which this user's processes meet; a private one where neither can
  // be had, with a warning) and enters this process; in a forked
  // child of a process that had done so, enters the child. Throws Error{CL_DEVICE_NOT_AVAILABLE,
  // CL_OUT_OF_RESOURCES} where that fails.
  static Share& get();
  // The same; null where this process has not opened it.
  static Share* if_open();
  // Leaves the table where nothing of this process runs or waits to run.
  static void leave_at_end() noexcept;

  // A cl_context begins or ends: an implicit context on the process's compute units. Throws
  // Error{CL_DEVICE_NOT_AVAILABLE}, naming pid, command and since when, where another process has
  // the device alone, or this one wants it alone and others use it.
  void open_context();
  void close_context();
  // Who else has the device alone, in words; "" where nobody has.
  std::string exclusive_holder();

  const std::vector<UnitPlacement>& units() const { return units_; }
  // Where the process is now. The objects stay for ever, so their addresses tell whether it has
  // entered again since.
  Membership& membership() const { return *now_.load(std::memory_order_acquire); }
  const Layout& layout() const { return segment().layout(); }
  Segment& segment() const { return membership().segment; }
  Registry& registry() const { return membership().registry; }
  Leases& leases() const { return membership().leases; }
  Heap& heap() const { return membership().heap; }
  ImageSlot& image_slot() const { return membership().image_slot; }
  Owner self() const { return membership().self; }
  // What this process found when it entered: one that changes it in the segment does not change
  // what this one has a right to.
  Policy policy_at_entry() const { return membership().policy; }

  // Enters the process again where its entry is gone: with its contexts, and without what belonged
  // to the entry (leases, wishes, heap blocks, contexts on the device image, access modes). False
  // where that fails, which is logged; for threads that cannot wait for a better time.
  bool stay_entered() noexcept { return membership().is_entered() || enter_again(); }
  // The process's entry; `nowhere` where the process is in the table no longer.
  ProcessEntry& entry() noexcept {
    if (!stay_entered()) return nowhere;
    const Membership& here = membership();
    return here.segment.layout().process(here.self.slot());
  }

  // Goes on in `segment`: with the process's contexts, and without what it had in the former one,
  // as above. Commands that run, or wait, end as they would have. Throws Error, and stays where it
  // is, where it cannot be entered.
  void move_to(std::unique_ptr<Segment> segment);
  // Leaves the segment of `damaged` for a private one, and tells `why` in the log; nothing where
  // the process has left it already. False where that fails, which is logged.
  bool leave(const Membership& damaged, const std::string& why) noexcept;
  // Leaves the segment where its header has been overwritten.
  void leave_if_damaged() noexcept;
  // Calls `body`, and where that finds the segment damaged, leaves it and calls `body` again.
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
  std::optional<MeetingPlace> place_;  // none where the user has no directory for it
  std::atomic<Membership*> now_{nullptr};
  // All that there have been; under the lock, as the rest.
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<std::unique_ptr<Membership>> memberships_;
  uint32_t contexts_ = 0;
  uint64_t first_entry_ns_ = 0;  // of the latest series of entries
  int entries_ = 0;              // in it
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_SHARE_H_
