// SPDX-License-Identifier: Apache-2.0
#include "platform/share/xclbin_client.h"

#include <cerrno>
#include <mutex>

#include "platform/base/error.h"
#include "platform/share/kept_xclbin.h"
#include "platform/share/retry_while_busy.h"
#include "platform/share/share.h"

namespace conclave::share {
namespace {

// What all clients of this process share.
struct ProcessUse {
  struct Unit {
    uint32_t clients = 0;
    bool alone = false;
  };
  std::mutex mutex;
  std::map<uint32_t, Unit> units;
  const Membership* process = nullptr;

  // Leaked on purpose, as the share.
  static ProcessUse& get() {
    static auto* use = new ProcessUse;
    return *use;
  }
  // A forked child starts with nothing.
  void settle(const Membership& self) {
    if (process == &self) return;
    process = &self;
    units.clear();
  }
};

[[noreturn]] void refuse_in_process(uint32_t unit) {
  throw Error(CL_OUT_OF_RESOURCES,
              "compute unit " + std::to_string(unit) +
                  " of the xclbin is in use by another handle or kernel of this process",
              EBUSY);
}

}  // namespace

bool load_xclbin(const XclbinSlot::Description& xclbin, std::string_view bytes) {
  Share& share = Share::get();
  return retry_while_busy([&] {
    share.membership().access_modes.require_may_load(xclbin.uuid);
    const bool is_new =
        share.xclbin_slot().load(xclbin, [&] { keep_xclbin(share.segment().name(), bytes); });
    share.membership().access_modes.note_load(xclbin.uuid);
    return is_new;
  });
}

XclbinClient::XclbinClient() : process_(&Share::get().membership()) {}

XclbinClient::~XclbinClient() {
  close_all();
}

void XclbinClient::close_all() {
  ProcessUse& process = ProcessUse::get();
  const Share* share = Share::if_open();
  if (!share || &share->membership() != process_) return;
  const std::lock_guard lock(process.mutex);
  while (!uses_.empty()) leave(uses_.begin()->first);
}

void XclbinClient::open(const Uuid& uuid, uint32_t unit, Mode mode) {
  retry_while_busy([&] { try_to_open(uuid, unit, mode); });
}

void XclbinClient::try_to_open(const Uuid& uuid, uint32_t unit, Mode mode) {
  Share& share = Share::get();
  ProcessUse& process = ProcessUse::get();
  const std::lock_guard lock(process.mutex);
  share.stay_entered();
  Membership& here = share.membership();
  process.settle(here);
  if (process_ != &here) {  // the contexts have gone with the process's former entry
    uses_.clear();
    process_ = &here;
  }
  XclbinSlot& slot = here.xclbin_slot;
  if (const auto mine = uses_.find(unit); mine != uses_.end()) {
    if (uuid != uuid_)
      throw Error(CL_INVALID_PROGRAM, "another xclbin is loaded, by this process", EBUSY);
    if (mode == Mode::kExclusive || mine->second.mode == Mode::kExclusive)
      throw Error(CL_INVALID_VALUE,
                  "compute unit " + std::to_string(unit) +
                      " is in a context of this handle already, and one of the two is exclusive",
                  EINVAL);
    ++mine->second.contexts;
    return;
  }
  if (unit == kNoUnit) {
    slot.open(uuid);
  } else {
    ProcessUse::Unit& all = process.units[unit];
    const bool first = all.clients == 0;
    if (!first && slot.is_resident(uuid) && (all.alone || mode == Mode::kExclusive))
      refuse_in_process(unit);
    // All contexts on the compute unit but the first one only count.
    if (first)
      slot.open(uuid, unit, mode);
    else
      slot.open(uuid);
    ++all.clients;
    all.alone = mode == Mode::kExclusive;
  }
  uuid_ = uuid;
  uses_[unit] = {1, 0, mode};
}

void XclbinClient::close(const Uuid& uuid, uint32_t unit) {
  const std::lock_guard lock(ProcessUse::get().mutex);
  const auto mine = uses_.find(unit);
  if (mine == uses_.end() || &Share::get().membership() != process_)
    throw Error(CL_INVALID_VALUE, "there is no such context on the xclbin", EINVAL);
  if (uuid != uuid_) throw Error(CL_INVALID_PROGRAM, "the context is on another xclbin", EBUSY);
  if (mine->second.contexts == 1 && mine->second.commands > 0)
    throw Error(CL_OUT_OF_RESOURCES,
                "compute unit " + std::to_string(unit) + " still runs a command", EBUSY);
  if (mine->second.contexts > 1)
    --mine->second.contexts;
  else
    leave(unit);
}

// Called under the process's lock.
void XclbinClient::leave(uint32_t unit) {
  uses_.erase(unit);
  ProcessUse& process = ProcessUse::get();
  XclbinSlot& slot = Share::get().xclbin_slot();
  if (unit == kNoUnit) return slot.close();
  ProcessUse::Unit& all = process.units[unit];
  if (--all.clients > 0) return slot.close();
  all.alone = false;
  slot.close(unit);
}

bool XclbinClient::has_context() const {
  const std::lock_guard lock(ProcessUse::get().mutex);
  return !uses_.empty();
}

bool XclbinClient::has(uint32_t unit) const {
  const std::lock_guard lock(ProcessUse::get().mutex);
  return uses_.contains(unit);
}

void XclbinClient::begin_use(std::span<const uint32_t> units) {
  const std::lock_guard lock(ProcessUse::get().mutex);
  for (uint32_t unit : units) ++uses_.at(unit).commands;
}

void XclbinClient::end_use(std::span<const uint32_t> units) {
  const std::lock_guard lock(ProcessUse::get().mutex);
  for (uint32_t unit : units)
    if (const auto mine = uses_.find(unit); mine != uses_.end()) --mine->second.commands;
}

}  // namespace conclave::share
