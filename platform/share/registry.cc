// SPDX-License-Identifier: Apache-2.0
#include "platform/share/registry.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/share/access_modes.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/heap.h"
#include "platform/share/leases.h"
#include "platform/share/stream_bell.h"
#include "platform/share/tries.h"
#include "platform/share/xclbin_slot.h"

namespace conclave::share {
namespace {

void raise_to(Atomic<uint32_t>& word, uint32_t least) {
  uint32_t value = word.load();
  for (Tries tries; value < least && tries.next();)
    if (word.compare_exchange_weak(value, least)) return;
}

// The entry may hold values of its last user.
void clear(ProcessEntry& entry, uint16_t generation) {
  for (Request& request : entry.requests) request.ticket.store(0);
  entry.contexts.store(0);
  for (auto& word : entry.units) word.store(0);
  for (auto* counter :
       {&entry.recent_use, &entry.launches, &entry.work_groups, &entry.busy_ns, &entry.wait_ns,
        &entry.heap_bytes, &entry.compiles, &entry.cache_hits, &entry.faults, &entry.cost_ns})
    counter->store(0);
  entry.queued.store(0);
  entry.turn_us.store(0);
  entry.kernel.set("");
  XclbinSlot::begin(entry, generation);
  AccessModes::begin(entry, generation);
}

}  // namespace

std::optional<Owner> Registry::claim() {
  for (uint32_t slot = 0; slot < layout_.process_capacity(); ++slot) {
    ProcessEntry& entry = layout_.process(slot);
    uint64_t word = entry.state.load();
    EntryState state = EntryState::of(word);
    if (state.state != ProcessEntry::kFree) continue;
    // Done before the entry is somebody's, so that the entry is always found.
    raise_to(layout_.header().entries_in_use, slot + 1);
    state.pid = static_cast<uint32_t>(getpid());
    state.generation += 1;
    state.state = ProcessEntry::kClaimed;
    if (entry.state.compare_exchange_strong(word, state.word()))
      return Owner(slot, state.generation);
  }
  return std::nullopt;
}

Owner Registry::enter() {
  const ProcessIdentity self = ProcessIdentity::self();
  // What this process was before it called execve() no longer exists.
  for (Owner former : everybody())
    if (identity(former) == self) remove(former);
  for (Tries tries; tries.next();) {
    std::optional<Owner> owner = claim();
    if (!owner) {
      remove_dead();
      owner = claim();
    }
    if (!owner)
      throw Error(CL_OUT_OF_RESOURCES,
                  "the shared segment has room for " + std::to_string(layout_.process_capacity()) +
                      " processes and as many use the device; raise linux-shmem-size-KB in the "
                      "configuration, and restart ti-mctd where it runs");
    if (fill_in(*owner, self)) return *owner;
  }
  throw DamagedSegment("entries of the table of processes are taken away as soon as they are made");
}

// False if somebody has removed the entry meanwhile.
bool Registry::fill_in(Owner owner, const ProcessIdentity& self) {
  ProcessEntry& entry = layout_.process(owner.slot());
  entry.start_time.store(self.start_time);
  layout_.header().waiting[owner.slot() / 64].fetch_and(~(uint64_t{1} << (owner.slot() % 64)));
  clear(entry, owner.generation());
  entry.since_ns.store(realtime_ns());
  entry.uid.store(getuid());
  entry.name.set(process_name(self.pid));
  entry.command.set(process_command(self.pid));
  EntryState state{static_cast<uint32_t>(self.pid), owner.generation(), ProcessEntry::kClaimed};
  uint64_t claimed = state.word();
  state.state = ProcessEntry::kLive;
  if (!entry.state.compare_exchange_strong(claimed, state.word())) return false;
  // The guardian watches this one too from now on.
  layout_.header().registrations.fetch_add(1);
  syscall(SYS_futex, &layout_.header().registrations, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  ring_daemon(layout_);
  return true;
}

ProcessEntry* Registry::find(Owner owner) const {
  if (!owner || owner.slot() >= layout_.process_capacity()) return nullptr;
  ProcessEntry& entry = layout_.process(owner.slot());
  const EntryState state = EntryState::of(entry.state.load());
  return state.state != ProcessEntry::kFree && state.generation == owner.generation() ? &entry
                                                                                      : nullptr;
}

Owner Registry::find_living(const std::function<bool(const ProcessEntry&)>& blocks, Owner except) {
  for (uint32_t slot = 0; slot < layout_.processes(); ++slot) {
    const ProcessEntry& process = layout_.process(slot);
    if (!blocks(process)) continue;
    const Owner owner(slot, EntryState::of(process.state.load()).generation);
    if (owner == except || is_daemon(layout_, owner)) continue;
    if (!find(owner)) continue;  // has just left
    if (liveness(identity(owner)) != Liveness::kDead) return owner;
    remove(owner);
  }
  return {};
}

std::vector<Owner> Registry::everybody() const {
  std::vector<Owner> owners;
  for (uint32_t slot = 0; slot < layout_.processes(); ++slot) {
    const EntryState state = EntryState::of(layout_.process(slot).state.load());
    if (state.state != ProcessEntry::kFree) owners.emplace_back(slot, state.generation);
  }
  return owners;
}

ProcessIdentity Registry::identity(Owner owner) const {
  const ProcessEntry* entry = find(owner);
  if (!entry) return {};
  const EntryState state = EntryState::of(entry->state.load());
  // While a process enters, its start time is missing or its predecessor's.
  const bool known = state.state != ProcessEntry::kClaimed;
  return {static_cast<pid_t>(state.pid), known ? entry->start_time.load() : 0};
}

std::string Registry::describe(Owner owner) const {
  if (is_daemon(layout_, owner)) return "a process of another user";
  const ProcessEntry* entry = find(owner);
  if (!entry) return "a process that has just ended";
  return "process " + std::to_string(identity(owner).pid) + " (" + entry->command.get() +
         "), since " + local_time(entry->since_ns.load());
}

// First nobody may hand anything to it any more (kRemoving), then it loses what it has. Its entry
// becomes free for others only when nothing is left.
std::optional<EntryState> Registry::give_up(Owner owner) {
  ProcessEntry* entry = find(owner);
  if (!entry) return std::nullopt;
  uint64_t word = entry->state.load();
  EntryState state = EntryState::of(word);
  for (Tries tries; state.state != ProcessEntry::kRemoving;) {
    if (state.state == ProcessEntry::kFree || state.generation != owner.generation() ||
        !tries.next())
      return std::nullopt;
    state.state = ProcessEntry::kRemoving;
    if (entry->state.compare_exchange_strong(word, state.word())) break;
    state = EntryState::of(word);
  }
  Leases(layout_, Owner()).release_all_of(owner);
  const bool had_contexts = XclbinSlot::forget(*entry, owner.generation());
  const bool had_modes = AccessModes::forget(*entry, owner.generation());
  if (had_contexts || had_modes) XclbinSlot::announce_change(layout_);
  uint32_t exclusive = owner.bits();
  layout_.header().exclusive.compare_exchange_strong(exclusive, 0);
  uint32_t daemon = owner.bits();
  layout_.header().daemon.compare_exchange_strong(daemon, 0);
  return state;
}

Registry::Recovered Registry::remove(Owner owner) {
  const std::optional<EntryState> state = give_up(owner);
  if (!state) return {};
  const Heap::Freed freed = Heap(layout_).free_all(owner);
  set_free(owner, *state);
  return {freed.blocks, freed.bytes};
}

void Registry::remove_blockless(Owner owner) {
  if (const std::optional<EntryState> state = give_up(owner)) set_free(owner, *state);
}

void Registry::set_free(Owner owner, const EntryState& state) {
  uint64_t word = state.word();
  layout_.process(owner.slot())
      .state.compare_exchange_strong(word,
                                     EntryState{0, owner.generation(), ProcessEntry::kFree}.word());
  // A process that waits for a stream looks now whether the entry is still there.
  StreamBells(layout_).ring_all();
}

Registry::Recovered Registry::remove_dead() {
  Recovered all;
  for (Owner owner : everybody()) {
    if (liveness(identity(owner)) != Liveness::kDead) continue;
    const Recovered one = remove(owner);
    all.blocks += one.blocks;
    all.bytes += one.bytes;
  }
  // Blocks that the process allocated while its entry was being removed.
  const Heap::Freed freed = Heap(layout_).free_all([this](Owner owner) { return !find(owner); });
  all.blocks += freed.blocks;
  all.bytes += freed.bytes;
  return all;
}

}  // namespace conclave::share
