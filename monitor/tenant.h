// SPDX-License-Identifier: Apache-2.0
// A user as the daemon sees them: their segment, in whose process table the daemon stands for all
// other users. There it holds the compute units that others have, and waits for those that others
// want, by the same words as every process (leases.h). It trusts nothing that it reads there: a
// user who forges it can deceive the daemon only about this user's own units.
#ifndef CONCLAVE_MONITOR_TENANT_H_
#define CONCLAVE_MONITOR_TENANT_H_

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "platform/base/compute_unit_set.h"
#include "platform/share/graph_area.h"
#include "platform/share/leases.h"
#include "platform/share/open_modes.h"
#include "platform/share/registry.h"
#include "platform/share/segment.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::monitor {

class Tenant {
 public:
  // `name`: "user 1000", for messages. Enters the daemon into the table, and takes all units that
  // nobody there has. Throws Error{CL_OUT_OF_RESOURCES} if the table is full.
  Tenant(std::string name, std::unique_ptr<share::Segment> segment);

  const std::string& name() const { return name_; }
  const share::Segment& segment() const { return *segment_; }
  const share::Layout& layout() const { return segment_->layout(); }
  share::Registry& registry() { return registry_; }
  // The daemon's present entry in the table; may be called on any thread.
  share::Owner self() const { return share::Owner::from_bits(self_.load()); }
  // The memory of the user's graphs and streams.
  share::GraphHeader& graphs() const {
    return *reinterpret_cast<share::GraphHeader*>(layout().graphs);
  }

  // Enters the daemon again if somebody has removed its entry; returns whether that was so. Throws
  // Error on failure.
  bool stay_entered();
  // Leaves the table: from then on its units are the users' own.
  void leave();
  // Takes everything from a process that has ended, except its heap blocks, whose lock somebody may
  // hold.
  void bury(share::Owner owner) { registry_.give_up(owner); }
  // Processes in the table other than the daemon, including dead ones.
  size_t processes() const;

  // --- The device as a whole ---

  // What the user's processes have together, without the daemon's own entry.
  struct DeviceUse {
    uint64_t contexts = 0;                          // OpenCL's
    bool wants_alone = false;                       // one of them has, or wants, the device alone
    std::optional<share::XclbinSlot::Uuid> xclbin;  // the one that they have loaded
    uint64_t loaded_ns = 0;
    share::XclbinSlot::Contexts on_xclbin;
    share::OpenModes modes;  // for the array, and for graphs of the xclbin
  };
  DeviceUse device_use() const;
  // How often they have asked what others have.
  uint32_t questions() const { return layout().header().questions.load(); }
  // Answers them: `use` is what all other users have; there are `users` of them.
  void show_others(uint32_t users, const DeviceUse& use);

  // --- Compute units ---

  // What the user's processes wait for.
  ComputeUnitSet wanted() const { return leases_->wanted(leases_->self()); }
  // Whether one of them works on the unit, or has just been given it.
  bool works_on(uint32_t unit) const;
  // Leaves the unit to the user's processes. One that waits for it gets it.
  void give(uint32_t unit);
  // Takes a unit on which nobody works.
  bool take(uint32_t unit) { return is_back(unit) || leases_->take(unit); }
  // Whether the daemon has it, or has just been handed it.
  bool is_back(uint32_t unit) { return leases_->holds(unit) || leases_->accept(unit); }
  // Shows those who wait for a unit of the daemon that all is well.
  void renew(uint32_t unit) { leases_->renew(unit); }
  // The present lease word, which changes with everything that happens to it.
  uint64_t word(uint32_t unit) const { return leases_->word(unit); }
  // Asks for these units from now on, and for no others. Their holders hand them over between two
  // work-groups, at the end of their time slice.
  void request(const ComputeUnitSet& units);

 private:
  void enter();

  std::string name_;
  std::unique_ptr<share::Segment> segment_;
  share::Registry registry_;
  std::optional<share::Leases> leases_;  // another one with each entry
  std::atomic<uint32_t> self_{0};
  int removals_ = 0;  // of the daemon's entry by others
  uint64_t ticket_ = 0;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_TENANT_H_
