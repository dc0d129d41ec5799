// SPDX-License-Identifier: Apache-2.0
// What this process has in the shared segment: its entry, its leases, its part of the heaps. One a
// process, opened when the device is first used and left at the process's end.
#ifndef CONCLAVE_PLATFORM_SHARE_SHARE_H_
#define CONCLAVE_PLATFORM_SHARE_SHARE_H_

#include <memory>
#include <string>
#include <vector>

#include "platform/share/heap.h"
#include "platform/share/image_slot.h"
#include "platform/share/leases.h"
#include "platform/share/registry.h"
#include "platform/share/segment.h"
#include "platform/share/unit_placement.h"

namespace conclave::share {

class Share {
 public:
  // Opens the segment (the configured one, else the daemon's where one runs, else the user's; a
  // private one where neither can be had, with a warning) and enters this process; in a forked
  // child of a process that had done so, enters the child. Throws Error{CL_DEVICE_NOT_AVAILABLE,
  // CL_OUT_OF_RESOURCES} where that fails.
  static Share& get();
  // The same; null where this process has not opened it.
  static Share* if_open();

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
  Owner self() const { return self_; }
  ProcessEntry& entry() { return layout().process(self_.slot()); }

 private:
  explicit Share(std::unique_ptr<Segment> segment);
  static std::unique_ptr<Segment> find_segment();
  void enter();
  void settle();
  Owner other_user() const;

  std::unique_ptr<Segment> segment_;
  std::vector<UnitPlacement> units_;
  Registry registry_;
  Owner self_;
  Leases leases_;
  Heap heap_;
  ImageSlot image_slot_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_SHARE_H_
