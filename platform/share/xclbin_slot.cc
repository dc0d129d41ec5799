// SPDX-License-Identifier: Apache-2.0
#include "platform/share/xclbin_slot.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/printable.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/registry.h"
#include "platform/share/segment_lock.h"
#include "platform/share/tries.h"
#include "platform/share/under_lock.h"

namespace conclave::share {
namespace {

// How many contexts a process has, and the use of its entry that they belong to. A process that is
// no longer in the table must not count in the name of its entry's next user.
struct ContextCount {
  uint16_t generation = 0;
  uint32_t count = 0;

  static ContextCount of(const ProcessEntry& entry) {
    const uint64_t word = entry.xclbin_contexts.load();
    return {static_cast<uint16_t>(word >> 32), static_cast<uint32_t>(word)};
  }
  uint64_t word() const { return uint64_t{generation} << 32 | count; }
};

uint32_t count_contexts(const ProcessEntry& entry) {
  const ContextCount contexts = ContextCount::of(entry);
  const EntryState state = EntryState::of(entry.state.load());
  return contexts.generation == state.generation ? contexts.count : 0;
}

// Changes the number from n to change(n). Returns the former number; 0, without any change, if the
// entry is another process's.
template <class Change>
uint32_t change_contexts(ProcessEntry& entry, uint16_t generation, Change change) {
  for (Tries tries; tries.next();) {
    const ContextCount seen = ContextCount::of(entry);
    if (seen.generation != generation) return 0;
    uint64_t word = seen.word();
    if (entry.xclbin_contexts.compare_exchange_strong(
            word, ContextCount{generation, change(seen.count)}.word()))
      return seen.count;
  }
  return 0;
}

bool has(const Atomic<uint64_t> (&words)[kSetWords], uint32_t unit) {
  return words[unit / 64].load() >> (unit % 64) & 1;
}

ComputeUnitSet read_set(const Atomic<uint64_t> (&words)[kSetWords]) {
  ComputeUnitSet set;
  for (uint32_t unit = 0; unit < kCuEntries; ++unit)
    if (has(words, unit)) set.add(unit);
  return set;
}

uint32_t compute_units(const Header& header) {
  return static_cast<uint32_t>(std::min<uint64_t>(header.xclbin_compute_units.get(), kCuEntries));
}

XclbinSlot::Uuid resident_uuid(const Header& header) {
  XclbinSlot::Uuid uuid;
  header.xclbin_uuid.get(uuid.data());
  return uuid;
}

uint64_t loaded_since(const Header& header) {
  uint64_t ns;
  header.xclbin_since_ns.get(&ns);
  return ns;
}

ComputeUnitSet device_units(const XclbinUnit& unit) {
  XclbinUnit::Content content;
  unit.content.get(&content);
  ComputeUnitSet set;
  for (uint32_t i = 0; i < kCuEntries; ++i)
    if (content.units[i / 64] >> (i % 64) & 1) set.add(i);
  return set;
}

}  // namespace

bool XclbinSlot::is_resident(const Uuid& uuid) const {
  const Header& header = layout_.header();
  return header.xclbin_resident.get() != 0 && resident_uuid(header) == uuid &&
         !OtherUsers(layout_).have_replaced(uuid);
}

void XclbinSlot::require_resident(const Uuid& uuid) const {
  if (is_resident(uuid)) return;
  throw Error(CL_INVALID_PROGRAM,
              OtherUsers(layout_).have_replaced(uuid)
                  ? "another xclbin is loaded, by a process of another user"
              : layout_.header().xclbin_resident.get()
                  ? "another xclbin is loaded, by process " +
                        std::to_string(layout_.header().xclbin_loader.get()) + ", since " +
                        local_time(loaded_since(layout_.header()))
                  : "no xclbin is loaded",
              EBUSY);
}

// Calls `body` under the lock. A process that has taken the lock over first makes sure that the
// former holder's load cannot complete any more.
template <class Body>
void XclbinSlot::with_lock(Body body) {
  Header& header = layout_.header();
  under_lock(header.xclbin_lock, "the lock of the xclbin is lost again and again",
             [&](const SegmentLock& lock) {
               if (lock.taken_over())
                 header.xclbin_resident.put(lock, header.xclbin_resident.get());
               body(lock);
             });
}

void XclbinSlot::become_loader(const Uuid& uuid) {
  with_lock([&](const SegmentLock& lock) {
    if (is_resident(uuid))
      layout_.header().xclbin_loader.put(lock, static_cast<uint64_t>(getpid()));
  });
}

bool XclbinSlot::load(const Description& xclbin, const std::function<void()>& keep) {
  const OtherUsers others(layout_);
  others.consult();
  ask_other_users(xclbin.uuid, std::nullopt, Mode::kShared);
  bool loaded = false;
  with_lock([&](const SegmentLock& lock) {
    if (loaded || is_resident(xclbin.uuid)) return;
    require_free();
    if (keep) keep();
    replace(xclbin, lock);
    loaded = true;
  });
  if (!loaded) return false;
  announce_change(layout_);
  others.consult();
  ask_other_users(xclbin.uuid, std::nullopt, Mode::kShared);  // another user may have been first
  return true;
}

// Throws if another user has something that forbids this process to load the xclbin or to have this
// context on it. What others have is as the daemon knew it when it was last consulted.
void XclbinSlot::ask_other_users(const Uuid& uuid, std::optional<uint32_t> unit, Mode mode) const {
  const OtherUsers others(layout_);
  const ProcessEntry& theirs = others.entry();
  if (count_contexts(theirs) == 0) return;
  if (others.have_replaced(uuid))
    throw Error(CL_INVALID_PROGRAM,
                "Device Busy: another xclbin is loaded, and a process of another user has "
                "contexts on it",
                EBUSY);
  const bool exclusive = mode == Mode::kExclusive;
  if (unit && has(exclusive ? theirs.xclbin_units : theirs.xclbin_units_alone, *unit))
    throw Error(CL_OUT_OF_RESOURCES,
                "compute unit " + name_of(*unit) +
                    (exclusive ? " is not free: a process of another user has it"
                               : " is held alone by a process of another user"),
                EBUSY);
}

// Throws if a context pins the xclbin.
void XclbinSlot::require_free() {
  const Owner holder = Registry(layout_).find_living(
      [](const ProcessEntry& process) { return count_contexts(process) != 0; }, Owner());
  if (holder == self() && holder)
    throw Error(CL_OUT_OF_RESOURCES,
                "Failed to load xclbin. Device Busy: this process has contexts on the xclbin "
                "that is loaded",
                EBUSY);
  if (holder)
    throw Error(CL_INVALID_PROGRAM,
                "Failed to load xclbin. Device Busy: the xclbin that is loaded is in use by " +
                    Registry(layout_).describe(holder),
                EBUSY);
}

void XclbinSlot::replace(const Description& xclbin, const SegmentLock& lock) {
  Header& header = layout_.header();
  header.xclbin_resident.put(lock, 0);
  for (uint32_t i = 0; i < xclbin.compute_units.size() && i < kCuEntries; ++i) {
    const ComputeUnit& from = xclbin.compute_units[i];
    XclbinUnit::Content content{};
    for (uint32_t w = 0; w < kSetWords; ++w) content.units[w] = from.units.word(w);
    from.name.copy(content.name, kXclbinNameBytes);
    layout_.xclbin_unit(i).content.put(lock, &content);
  }
  header.xclbin_compute_units.put(lock, xclbin.compute_units.size());
  header.xclbin_uuid.put(lock, xclbin.uuid.data());
  const uint64_t now = realtime_ns();
  header.xclbin_since_ns.put(lock, &now);
  header.xclbin_loader.put(lock, static_cast<uint64_t>(getpid()));
  header.xclbin_resident.put(lock, 1);
}

// First the process shows the context, then it checks whether the context is allowed. It is if the
// lock was this process's until then: a process that has taken it over since has seen the context.
template <class Check>
void XclbinSlot::add_context(const Uuid& uuid, std::optional<uint32_t> unit, Mode mode,
                             Check check) {
  bool added = false;
  with_lock([&](const SegmentLock& lock) {
    if (added) return;
    lock.check();
    show_context(unit, mode);
    try {
      require_resident(uuid);
      check();
      lock.check();
    } catch (...) {
      hide_context(unit);
      if (!lock.held()) announce_change(layout_);  // somebody may have seen it
      throw;
    }
    added = true;
  });
  OtherUsers(layout_).consult();
  try {
    require_resident(uuid);
    ask_other_users(uuid, unit, mode);
  } catch (const Error&) {
    hide_context(unit);
    announce_change(layout_);
    throw;
  }
}

void XclbinSlot::show_context(std::optional<uint32_t> unit, Mode mode) {
  ProcessEntry& mine = entry();
  if (!has_entry()) return;
  change_contexts(mine, self().generation(), [](uint32_t n) { return n + 1; });
  if (!unit) return;
  const uint64_t bit = uint64_t{1} << (*unit % 64);
  mine.xclbin_units[*unit / 64].fetch_or(bit);
  if (mode == Mode::kExclusive) mine.xclbin_units_alone[*unit / 64].fetch_or(bit);
}

void XclbinSlot::hide_context(std::optional<uint32_t> unit) {
  ProcessEntry& mine = entry();
  if (!has_entry()) return;
  if (unit) {
    const uint64_t bit = uint64_t{1} << (*unit % 64);
    mine.xclbin_units_alone[*unit / 64].fetch_and(~bit);
    mine.xclbin_units[*unit / 64].fetch_and(~bit);
  }
  change_contexts(mine, self().generation(), [](uint32_t n) { return n ? n - 1 : 0; });
}

// Whether the entry's contexts are this process's.
bool XclbinSlot::has_entry() const {
  return ContextCount::of(entry()).generation == self().generation();
}

void XclbinSlot::open(const Uuid& uuid) {
  add_context(uuid, std::nullopt, Mode::kShared, [] {});
}

void XclbinSlot::open(const Uuid& uuid, uint32_t unit, Mode mode) {
  if (unit >= kCuEntries)
    throw Error(CL_INVALID_VALUE, "there is no compute unit number " + std::to_string(unit),
                EINVAL);
  const bool exclusive = mode == Mode::kExclusive;
  add_context(uuid, unit, mode, [&] {
    if (unit >= compute_units(layout_.header()))
      throw Error(CL_INVALID_VALUE,
                  "the xclbin has " + std::to_string(compute_units(layout_.header())) +
                      " compute units; there is no number " + std::to_string(unit),
                  EINVAL);
    const Owner holder = Registry(layout_).find_living(
        [&](const ProcessEntry& process) {
          return count_contexts(process) != 0 &&
                 has(exclusive ? process.xclbin_units : process.xclbin_units_alone, unit);
        },
        self());
    if (holder)
      throw Error(CL_OUT_OF_RESOURCES,
                  "compute unit " + name_of(unit) +
                      (exclusive ? " is not free: it is in use by " : " is held alone by ") +
                      Registry(layout_).describe(holder),
                  EBUSY);
  });
}

// Without the lock: a process that decides by a context that has just gone was a moment earlier.
void XclbinSlot::close() {
  hide_context(std::nullopt);
  announce_change(layout_);
}

void XclbinSlot::close(uint32_t unit) {
  hide_context(unit);
  announce_change(layout_);
}

std::string XclbinSlot::name_of(uint32_t unit) const {
  XclbinUnit::Content content;
  layout_.xclbin_unit(unit).content.get(&content);
  return printable(std::string(content.name, strnlen(content.name, kXclbinNameBytes)));
}

XclbinSlot::Report XclbinSlot::report() const {
  const Header& header = layout_.header();
  Report report;
  report.resident = header.xclbin_resident.get() != 0;
  if (!report.resident) return report;
  report.xclbin.uuid = resident_uuid(header);
  for (uint32_t i = 0; i < compute_units(header); ++i)
    report.xclbin.compute_units.push_back({name_of(i), device_units(layout_.xclbin_unit(i))});
  report.loader = static_cast<uint32_t>(header.xclbin_loader.get());
  report.since_ns = loaded_since(header);
  report.holders = holders();
  return report;
}

std::optional<XclbinSlot::Loaded> XclbinSlot::loaded() const {
  const Header& header = layout_.header();
  if (header.xclbin_resident.get() == 0) return std::nullopt;
  return Loaded{resident_uuid(header), loaded_since(header),
                static_cast<uint32_t>(header.xclbin_loader.get())};
}

std::vector<XclbinSlot::Holder> XclbinSlot::holders() const {
  std::vector<Holder> holders;
  const Registry registry(layout_);
  for (Owner owner : registry.everybody()) {
    const ProcessEntry* process = registry.find(owner);
    if (!process || count_contexts(*process) == 0) continue;
    holders.push_back({owner,
                       {count_contexts(*process), read_set(process->xclbin_units),
                        read_set(process->xclbin_units_alone)}});
  }
  return holders;
}

void XclbinSlot::show(const Contexts& contexts) {
  ProcessEntry& mine = entry();
  if (!has_entry()) return;
  const uint32_t before = count_contexts(mine);
  for (uint32_t w = 0; w < kSetWords; ++w) {
    mine.xclbin_units[w].store(contexts.units.word(w));
    mine.xclbin_units_alone[w].store(contexts.alone.word(w));
  }
  change_contexts(mine, self().generation(), [&](uint32_t) { return contexts.count; });
  if (contexts.count < before) announce_change(layout_);
}

void XclbinSlot::wait_for_change(uint32_t seen, uint32_t timeout_ms) const {
  const timespec timeout{timeout_ms / 1000, long{timeout_ms % 1000} * 1'000'000};
  syscall(SYS_futex, &layout_.header().xclbin_changes, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

bool XclbinSlot::forget(ProcessEntry& entry, uint16_t generation) {
  return change_contexts(entry, generation, [](uint32_t) { return 0u; }) != 0;
}

void XclbinSlot::begin(ProcessEntry& entry, uint16_t generation) {
  for (uint32_t w = 0; w < kSetWords; ++w) {
    entry.xclbin_units_alone[w].store(0);
    entry.xclbin_units[w].store(0);
  }
  entry.xclbin_contexts.store(ContextCount{generation, 0}.word());
}

std::string uuid_text(const XclbinSlot::Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += {kDigits[uuid[i] >> 4], kDigits[uuid[i] & 15]};
  }
  return text;
}

void XclbinSlot::announce_change(const Layout& layout) {
  Atomic<uint32_t>& changes = layout.header().xclbin_changes;
  changes.fetch_add(1);
  syscall(SYS_futex, &changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace conclave::share
