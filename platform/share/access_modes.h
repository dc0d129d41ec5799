// SPDX-License-Identifier: Apache-2.0
// Who has the device's array, and the graphs of its xclbin, in which mode: exclusive, primary or
// shared (access_mode.h).
//
// A process writes what it has into its own entry of the process table, two bits for each thing.
// Nobody else writes there, so a death leaves nothing to repair: whoever removes the process clears
// the entry. A lock makes looking at what others have and adding one's own a single step, so one of
// two that want the same at once gets it. The lock protects no data. The process itself trusts its
// own memory; what is in the segment only informs others.
//
// An open graph pins the xclbin, as a context on it does. Between users the daemon decides, as it
// does for contexts (other_users.h).
#ifndef CONCLAVE_PLATFORM_SHARE_ACCESS_MODES_H_
#define CONCLAVE_PLATFORM_SHARE_ACCESS_MODES_H_

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "platform/share/access_mode.h"
#include "platform/share/layout.h"
#include "platform/share/open_modes.h"
#include "platform/share/owner.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::share {

class AccessModes {
 public:
  using Uuid = XclbinSlot::Uuid;

  AccessModes(const Layout& layout, Owner self)
      : layout_(layout), self_(self), xclbin_slot_(layout, self) {}

  // Opens the array once more. Throws Error{CL_DEVICE_NOT_AVAILABLE, EBUSY}, naming mode and
  // holder, if this process or another one has it in a mode that forbids this. Throws
  // Error{CL_OUT_OF_RESOURCES, EAGAIN} if the process's entry has been taken away.
  void open_array(AccessMode mode);
  // Closes once what was opened in this mode. Throws Error{CL_INVALID_VALUE, EINVAL} if there is
  // nothing, and Error{CL_OUT_OF_RESOURCES, EBUSY}, naming the graphs, if the array would then be
  // closed while graphs of this process are open.
  void close_array(AccessMode mode);
  // The same for callers who cannot be refused: graphs may be open, and nothing is thrown.
  void drop_array(AccessMode mode) noexcept;

  // Opens a graph of the resident xclbin, and pins the xclbin. `name` is the name that the xclbin
  // gives it, for messages. Throws Error{CL_INVALID_PROGRAM, EINVAL} if another xclbin, or none, is
  // resident; Error{CL_INVALID_VALUE, EINVAL} for a number that no xclbin has, and for a graph that
  // this process has open; Error{CL_OUT_OF_RESOURCES, EBUSY}, naming mode and holder, if another
  // process has it in a mode that forbids this; and EAGAIN as above.
  void open_graph(const Uuid& uuid, uint32_t number, const std::string& name, AccessMode mode);
  // Throws Error{CL_INVALID_VALUE, EINVAL} if it is not open.
  void close_graph(uint32_t number);

  // Throws Error{CL_INVALID_OPERATION, EPERM} if this process must not load an xclbin other than
  // the resident one: it has the array in shared mode, and the process that has it in primary mode
  // has loaded its xclbin. A process that only looks may load an xclbin before the owner does.
  void require_may_load(const Uuid& uuid) const;
  // Called after a load, even of the xclbin that was there already: an owner's xclbin is the
  // owner's.
  void note_load(const Uuid& uuid);

  // What this process has.
  OpenModes mine() const;

  // What there is, for observers.
  struct Holder {
    Owner owner;
    OpenModes modes;
  };
  std::vector<Holder> report() const;
  // For the daemon, whose entry shows what all other users have.
  void show(const OpenModes& modes);

  // Prepares an entry of the process table for its next user.
  static void begin(ProcessEntry& entry, uint16_t generation);
  // Closes all that the present or former user of a process's entry has open; false if there is
  // nothing.
  static bool forget(ProcessEntry& entry, uint16_t generation);

 private:
  struct Graph {
    std::string name;
    AccessMode mode;
  };
  // A process that has something open in a mode that forbids the wanted one.
  struct Opponent {
    AccessMode mode = AccessMode::kShared;
    std::string process;  // "process 4711 (./a.out), since ..."; "": there is none
    uint32_t pid = 0;     // 0: a process of another user
  };

  std::optional<AccessMode> array() const;
  void add(uint32_t thing, AccessMode mode, std::optional<AccessMode> before,
           const std::string& name);
  void leave_array(AccessMode mode);
  bool publish(uint32_t thing, std::optional<AccessMode> mode);
  Opponent find_opponent(uint32_t thing, AccessMode wanted) const;
  Opponent find_opponent_of_other_users(uint32_t thing, AccessMode wanted) const;
  std::string names_of_graphs() const;
  ProcessEntry& entry() const { return layout_.process(self_.slot()); }

  const Layout layout_;
  const Owner self_;
  XclbinSlot xclbin_slot_;

  mutable std::mutex mutex_;
  std::array<uint32_t, 3> array_opens_{};  // by mode
  std::map<uint32_t, Graph> graphs_;       // by number
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_ACCESS_MODES_H_
