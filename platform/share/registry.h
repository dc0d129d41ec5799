// SPDX-License-Identifier: Apache-2.0
// The table of processes that use the device. An entry's state word holds pid, generation and
// state. So claiming and freeing an entry are one compare-and-swap each, and an entry whose owner
// died half way through is still known to be that process's.
#ifndef CONCLAVE_PLATFORM_SHARE_REGISTRY_H_
#define CONCLAVE_PLATFORM_SHARE_REGISTRY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/share/layout.h"
#include "platform/share/owner.h"
#include "platform/share/process_identity.h"

namespace conclave::share {

// The state word of a process entry.
struct EntryState {
  uint32_t pid = 0;
  uint16_t generation = 0;
  uint16_t state = ProcessEntry::kFree;

  static EntryState of(uint64_t word) {
    return {static_cast<uint32_t>(word >> 32), static_cast<uint16_t>(word >> 16),
            static_cast<uint16_t>(word)};
  }
  uint64_t word() const { return uint64_t{pid} << 32 | uint32_t{generation} << 16 | state; }
};

class Registry {
 public:
  explicit Registry(const Layout& layout) : layout_(layout) {}

  // Enters the calling process. Takes the entry of a dead process if all are used. Throws
  // Error{CL_OUT_OF_RESOURCES}, naming the remedy, if the table is full of living ones, and
  // DamagedSegment if others take every entry away.
  Owner enter();

  // The entry of `owner`; null if it is not, or no longer, that owner's, or garbage.
  ProcessEntry* find(Owner owner) const;
  // A living process for whose entry `blocks` holds, so that it is in somebody's way; none if there
  // is none. Removes the dead processes that it meets. Leaves out `except`, and the daemon, whose
  // entry shows other users.
  Owner find_living(const std::function<bool(const ProcessEntry&)>& blocks, Owner except);
  // Everybody in the table, in its order, including dead processes that nobody has noticed.
  std::vector<Owner> everybody() const;
  ProcessIdentity identity(Owner owner) const;
  // For messages: "process 4711 (./vadd 3), since 2026-11-21 08:15:00", or for the daemon, whose
  // entry shows them, "a process of another user".
  std::string describe(Owner owner) const;

  // Removes a process and all that belongs to it: leases (which go to those who wait), requests,
  // contexts on the xclbin, access modes, heap blocks, the exclusive use of the device, its
  // entry. Called for the dead, and by a process for itself. Calling it twice, or by several at
  // once, is harmless. Returns the number of bytes and blocks of the heaps that were freed.
  struct Recovered {
    uint64_t blocks = 0, bytes = 0;
  };
  Recovered remove(Owner owner);
  // The first part of that, which needs no lock: everything but the heap blocks. The entry stays
  // until it is removed. It is for a process that leaves a damaged segment, whose locks may be
  // lost. Returns the entry's state then; nothing if it is not, or no longer, `owner`'s.
  std::optional<EntryState> give_up(Owner owner);

  // The same for an owner without heap blocks; it does not take their lock.
  void remove_blockless(Owner owner);

  // Removes all dead processes.
  Recovered remove_dead();

 private:
  std::optional<Owner> claim();
  void set_free(Owner owner, const EntryState& state);
  bool fill_in(Owner owner, const ProcessIdentity& self);

  const Layout layout_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_REGISTRY_H_
