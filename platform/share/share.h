// SPDX-License-Identifier: Apache-2.0
// What this process has in the shared segment: its entry, its leases, its part of the heaps. One
// per process, opened when the device is first used. At its end a process leaves where nothing of
// it can run any more; else others remove it when it is gone. A process that finds its entry gone,
// for it has left or somebody has removed it, enters again.
#ifndef CONCLAVE_PLATFORM_SHARE_SHARE_H_
#define CONCLAVE_PLATFORM_SHARE_SHARE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/share/heap.h"
#include "platform/share/image_slot.h"
#include "platform/share/leases.h"
#include "platform/share/meeting_place.h"
#include "platform/share/registry.h"
#include "platform/share/segment.h"
#include "platform/share/unit_placement.h"

namespace conclave::share {

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
  const Layout& layout() const { return segment_->layout(); }
  Segment& segment() { return *segment_; }
  Registry& registry() { return registry_; }
  Leases& leases() { return leases_; }
  Heap& heap() { return heap_; }
  ImageSlot& image_slot() { return image_slot_; }
  Owner self() const { return leases_.self(); }

  // Enters the process again where its entry is gone: with its contexts, and without what belonged
  // to the entry (leases, wishes, heap blocks, contexts on the device image). False where that
  // fails, which is logged; for threads that cannot wait for a better time.
  bool stay_entered() noexcept { return leases_.entered() || enter_again(); }
  // The process's entry; one that nobody sees where the process is in the table no longer.
  ProcessEntry& entry() noexcept {
    return stay_entered() ? layout().process(self().slot()) : nowhere_;
  }

 private:
  Share();
  std::unique_ptr<Segment> find_segment();
  std::unique_ptr<Segment> join();
  void stay_reachable();
  void enter();
  bool enter_again() noexcept;
  void settle();
  bool is_idle() const;
  uint32_t count_context(int change);
  uint64_t contexts() const;
  Owner other_user() const;

  const std::string name_;
  std::optional<MeetingPlace> place_;  // none where the user has no directory for it
  std::unique_ptr<Segment> segment_;
  std::vector<UnitPlacement> units_;
  Registry registry_;
  Leases leases_;
  Heap heap_;
  ImageSlot image_slot_;
  uint32_t contexts_ = 0;  // under the lock
  ProcessEntry nowhere_{};
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_SHARE_H_
