// SPDX-License-Identifier: Apache-2.0
// The device's place for one xclbin, and the contexts that processes have on it.
//
// While a process has a context, nobody replaces the xclbin: the process's first context pins it,
// its last one unpins it. A context is on a compute unit of the xclbin, exclusive or shared, or on
// none of them. A process writes what it has into its own entry of the process table. Nobody else
// writes there, so a death leaves nothing to repair: whoever removes the process clears the entry.
// A lock (segment_lock.h) makes looking at others' contexts and adding one's own a single step. The
// only data that it protects is the xclbin's description, which counts once it is complete. Members
// that take the lock throw DamagedSegment if they cannot get it.
//
// All this is among the processes of one user. If other users share the device, the daemon must
// grant each load and each context too (other_users.h): a process makes it as above, and takes it
// back if another user has something that forbids it.
#ifndef CONCLAVE_PLATFORM_SHARE_XCLBIN_SLOT_H_
#define CONCLAVE_PLATFORM_SHARE_XCLBIN_SLOT_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/share/layout.h"
#include "platform/share/other_users.h"
#include "platform/share/owner.h"
#include "platform/share/process_identity.h"
#include "platform/share/segment_lock.h"

namespace conclave::share {

class XclbinSlot {
 public:
  using Uuid = OtherUsers::Uuid;
  enum class Mode { kExclusive, kShared };

  struct ComputeUnit {
    std::string name;  // "kernel:name"
    ComputeUnitSet units;
  };
  struct Description {
    Uuid uuid{};
    std::vector<ComputeUnit> compute_units;
  };

  XclbinSlot(const Layout& layout, Owner self) : layout_(layout), self_(self) {}

  Owner self() const { return self_; }

  // Makes `xclbin` the resident one; false, without any change, if it is so already. Calls `keep`
  // before, while nobody else can load. Throws Error{CL_INVALID_PROGRAM, EBUSY}, naming the holder,
  // if a context on another xclbin is open (CL_OUT_OF_RESOURCES if it is this process's).
  bool load(const Description& xclbin, const std::function<void()>& keep = nullptr);

  // Makes this process the loader of the resident xclbin, if that is `uuid`: this process loads it
  // again and owns the array.
  void become_loader(const Uuid& uuid);

  // Opens a context of this process on the xclbin: on none of its compute units, or the process's
  // first one on number `unit`. Throws Error{CL_INVALID_PROGRAM, EBUSY} if another xclbin, or none,
  // is resident; Error{CL_OUT_OF_RESOURCES, EBUSY}, naming the holder, if another process has the
  // compute unit in a way that forbids this; Error{CL_INVALID_VALUE, EINVAL} if the xclbin has no
  // such compute unit.
  void open(const Uuid& uuid);
  void open(const Uuid& uuid, uint32_t unit, Mode mode);
  // load() and both open() throw the same if another user has it.
  //
  // Closes what open() has opened.
  void close();
  void close(uint32_t unit);

  bool is_resident(const Uuid& uuid) const;

  // What a process has: all contexts, the compute units they are on, and those it has exclusively.
  struct Contexts {
    uint32_t count = 0;
    ComputeUnitSet units, alone;

    bool operator==(const Contexts&) const = default;
  };
  // For the daemon, whose entry shows what all other users have.
  void show(const Contexts& contexts);

  // What there is, for observers.
  struct Holder {
    Owner owner;
    Contexts contexts;
  };
  struct Report {
    bool resident = false;
    Description xclbin;
    uint32_t loader = 0;  // pid
    uint64_t since_ns = 0;
    std::vector<Holder> holders;
  };
  Report report() const;
  // Parts of it: who has contexts; the resident xclbin, and since when.
  std::vector<Holder> holders() const;
  struct Loaded {
    Uuid uuid;
    uint64_t since_ns;
    uint32_t loader;  // pid
  };
  std::optional<Loaded> loaded() const;

  // Waits until a context or the xclbin goes away, or `timeout_ms` have passed. Returns at once if
  // something has changed since changes() was `seen`.
  uint32_t changes() const { return layout_.header().xclbin_changes.load(); }
  void wait_for_change(uint32_t seen, uint32_t timeout_ms) const;

  // Prepares an entry of the process table for its next user.
  static void begin(ProcessEntry& entry, uint16_t generation);
  // Removes all contexts of the present or former user of a process's entry; false if there are
  // none.
  static bool forget(ProcessEntry& entry, uint16_t generation);
  // Wakes those who wait for a change.
  static void announce_change(const Layout& layout);

 private:
  void require_resident(const Uuid& uuid) const;
  template <class Body>
  void with_lock(Body body);
  void require_free();
  void ask_other_users(const Uuid& uuid, std::optional<uint32_t> unit, Mode mode) const;
  void replace(const Description& xclbin, const SegmentLock& lock);
  template <class Check>
  void add_context(const Uuid& uuid, std::optional<uint32_t> unit, Mode mode, Check check);
  void show_context(std::optional<uint32_t> unit, Mode mode);
  void hide_context(std::optional<uint32_t> unit);
  bool has_entry() const;
  ProcessEntry& entry() const { return layout_.process(self().slot()); }
  std::string name_of(uint32_t unit) const;

  const Layout layout_;
  const Owner self_;
};

// "8f14e45f-ceea-467a-9575-2a2c9a3a6d11"
std::string uuid_text(const XclbinSlot::Uuid& uuid);

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_XCLBIN_SLOT_H_
