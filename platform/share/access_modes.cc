// SPDX-License-Identifier: Apache-2.0
#include "platform/share/access_modes.h"

#include <cerrno>

#include "platform/base/error.h"
#include "platform/share/other_users.h"
#include "platform/share/registry.h"
#include "platform/share/tries.h"
#include "platform/share/under_lock.h"

namespace conclave::share {
namespace {

static_assert(kModeWords * kModesPerWord >= kThingsWithModes);

// A word of an entry: the modes of some things, two bits each, and the use of the entry that they
// belong to. A process that is no longer in the table must not count in the name of its entry's
// next user.
class ModeWord {
 public:
  explicit ModeWord(uint64_t bits) : bits_(bits) {}
  static ModeWord empty(uint16_t generation) { return ModeWord(uint64_t{generation} << 48); }

  uint64_t bits() const { return bits_; }
  uint16_t generation() const { return static_cast<uint16_t>(bits_ >> 48); }
  bool is_empty() const { return bits_ << 16 == 0; }

  std::optional<AccessMode> mode(uint32_t thing) const {
    const uint64_t code = bits_ >> shift(thing) & 3;
    if (code == 0) return std::nullopt;
    return static_cast<AccessMode>(code - 1);
  }
  ModeWord with(uint32_t thing, std::optional<AccessMode> mode) const {
    const uint64_t code = mode ? static_cast<uint64_t>(*mode) + 1 : 0;
    return ModeWord((bits_ & ~(uint64_t{3} << shift(thing))) | code << shift(thing));
  }

 private:
  static uint32_t shift(uint32_t thing) { return 2 * (thing % kModesPerWord); }

  uint64_t bits_;
};

Atomic<uint64_t>& word_of(ProcessEntry& entry, uint32_t thing) {
  return entry.access_modes[thing / kModesPerWord];
}

// The mode in which the entry's process has something.
std::optional<AccessMode> mode_in(const ProcessEntry& entry, uint32_t thing) {
  const ModeWord word(entry.access_modes[thing / kModesPerWord].load());
  if (word.generation() != EntryState::of(entry.state.load()).generation) return std::nullopt;
  return word.mode(thing);
}

OpenModes modes_in(const ProcessEntry& entry) {
  OpenModes modes;
  const uint16_t generation = EntryState::of(entry.state.load()).generation;
  for (uint32_t w = 0; w < kModeWords; ++w) {
    const ModeWord word(entry.access_modes[w].load());
    if (word.generation() != generation || word.is_empty()) continue;
    for (uint32_t i = w * kModesPerWord; i < (w + 1) * kModesPerWord && i < kThingsWithModes; ++i)
      if (const auto mode = word.mode(i)) modes.in(*mode).set(i);
  }
  return modes;
}

// Changes a word of the entry, unless the entry is another process's. Returns the former word.
template <class Change>
std::optional<ModeWord> change(Atomic<uint64_t>& word, uint16_t generation, Change to) {
  for (Tries tries; tries.next();) {
    uint64_t bits = word.load();
    const ModeWord seen(bits);
    if (seen.generation() != generation) return std::nullopt;
    if (word.compare_exchange_strong(bits, to(seen).bits())) return seen;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(uint32_t thing, const std::string& name, AccessMode wanted,
                         AccessMode open, const std::string& where) {
  throw Error(thing == kArray ? CL_DEVICE_NOT_AVAILABLE : CL_OUT_OF_RESOURCES,
              name + " is open in " + name_of(open) + " mode in " + where +
                  "; it cannot be opened in " + name_of(wanted) + " mode besides",
              EBUSY);
}

constexpr char kTheArray[] = "the array";

}  // namespace

// Stores the mode in which this process has something; false if its entry is another process's.
bool AccessModes::publish(uint32_t thing, std::optional<AccessMode> mode) {
  return change(word_of(entry(), thing), self_.generation(),
                [&](const ModeWord& word) { return word.with(thing, mode); })
      .has_value();
}

AccessModes::Opponent AccessModes::find_opponent(uint32_t thing, AccessMode wanted) const {
  Opponent opponent;
  Registry registry(layout_);
  const Owner holder = registry.find_living(
      [&](const ProcessEntry& process) {
        const std::optional<AccessMode> mode = mode_in(process, thing);
        if (!mode || !rules_out(*mode, wanted)) return false;
        opponent.mode = *mode;
        return true;
      },
      self_);
  if (!holder) return opponent;
  opponent.process = registry.describe(holder);
  opponent.pid = static_cast<uint32_t>(registry.identity(holder).pid);
  return opponent;
}

AccessModes::Opponent AccessModes::find_opponent_of_other_users(uint32_t thing,
                                                                AccessMode wanted) const {
  const std::optional<AccessMode> mode = mode_in(OtherUsers(layout_).entry(), thing);
  if (!mode || !rules_out(*mode, wanted)) return {};
  return {*mode, "a process of another user"};
}

// First the process shows the mode to others, then it looks whether the mode is allowed. So two
// processes never have modes that forbid each other, whoever is overtaken where, and of two that
// want the same at once the lock gives it to one. Other users are asked last.
void AccessModes::add(uint32_t thing, AccessMode mode, std::optional<AccessMode> before,
                      const std::string& name) {
  const auto take_back = [&] {
    publish(thing, before);
    XclbinSlot::announce_change(layout_);
  };
  under_lock(layout_.header().access_lock, "the lock of the access modes is lost again and again",
             [&](const SegmentLock&) {
               if (!publish(thing, mode))
                 throw Error(CL_OUT_OF_RESOURCES,
                             "this process is no longer in the table of those that share the "
                             "device; " +
                                 name + " cannot be opened",
                             EAGAIN);
               try {
                 const Opponent opponent = find_opponent(thing, mode);
                 if (!opponent.process.empty())
                   refuse(thing, name, mode, opponent.mode, opponent.process);
               } catch (...) {
                 take_back();
                 throw;
               }
             });
  OtherUsers(layout_).consult();
  const Opponent opponent = find_opponent_of_other_users(thing, mode);
  if (opponent.process.empty()) return;
  take_back();
  refuse(thing, name, mode, opponent.mode, opponent.process);
}

// The strongest mode in which this process has the array.
std::optional<AccessMode> AccessModes::array() const {
  for (AccessMode mode : {AccessMode::kExclusive, AccessMode::kPrimary, AccessMode::kShared})
    if (array_opens_[static_cast<size_t>(mode)]) return mode;
  return std::nullopt;
}

void AccessModes::open_array(AccessMode mode) {
  const std::lock_guard lock(mutex_);
  const std::optional<AccessMode> before = array();
  if (before && rules_out(*before, mode)) refuse(kArray, kTheArray, mode, *before, "this process");
  // A process that has it in primary mode, and opens it in shared mode too, stays the primary
  // owner.
  if (!before || mode < *before) add(kArray, mode, before, kTheArray);
  ++array_opens_[static_cast<size_t>(mode)];
}

void AccessModes::close_array(AccessMode mode) {
  const std::lock_guard lock(mutex_);
  if (array_opens_[static_cast<size_t>(mode)] == 0)
    throw Error(CL_INVALID_VALUE,
                std::string("the array is not open in ") + name_of(mode) + " mode in this process",
                EINVAL);
  const uint32_t opens = array_opens_[0] + array_opens_[1] + array_opens_[2];
  if (opens == 1 && !graphs_.empty())
    throw Error(CL_OUT_OF_RESOURCES,
                "the array cannot be closed: this process has open " + names_of_graphs(), EBUSY);
  leave_array(mode);
}

void AccessModes::drop_array(AccessMode mode) noexcept {
  const std::lock_guard lock(mutex_);
  if (array_opens_[static_cast<size_t>(mode)] != 0) leave_array(mode);
}

// Without the segment's lock: a process that decides by a mode that has just gone was a moment
// earlier.
void AccessModes::leave_array(AccessMode mode) {
  const std::optional<AccessMode> before = array();
  --array_opens_[static_cast<size_t>(mode)];
  if (array() == before) return;
  publish(kArray, array());
  XclbinSlot::announce_change(layout_);
}

// "graph gr[0] (primary mode), graph gr[1] (shared mode)"
std::string AccessModes::names_of_graphs() const {
  std::string names;
  for (const auto& [number, graph] : graphs_)
    names += (names.empty() ? "graph " : ", graph ") + graph.name + " (" + name_of(graph.mode) +
             " mode)";
  return names;
}

void AccessModes::open_graph(const Uuid& uuid, uint32_t number, const std::string& name,
                             AccessMode mode) {
  if (number >= kMostGraphs)
    throw Error(CL_INVALID_VALUE,
                "graph " + name + " has number " + std::to_string(number) + "; an xclbin has " +
                    std::to_string(kMostGraphs) + " graphs at most",
                EINVAL);
  const std::lock_guard lock(mutex_);
  if (const auto mine = graphs_.find(number); mine != graphs_.end())
    throw Error(CL_INVALID_VALUE,
                "graph " + name + " is open in " + name_of(mine->second.mode) +
                    " mode in this process; it cannot be opened twice",
                EINVAL);
  try {
    xclbin_slot_.open(uuid);
  } catch (const DamagedSegment&) {
    throw;
  } catch (const Error& error) {
    throw Error(CL_INVALID_PROGRAM, "graph " + name + " cannot be opened: " + error.text(), EINVAL);
  }
  try {
    add(number, mode, std::nullopt, "graph " + name);
    graphs_[number] = {name, mode};
  } catch (...) {
    xclbin_slot_.close();
    throw;
  }
}

void AccessModes::close_graph(uint32_t number) {
  const std::lock_guard lock(mutex_);
  if (graphs_.erase(number) == 0)
    throw Error(CL_INVALID_VALUE,
                "graph number " + std::to_string(number) + " is not open in this process", EINVAL);
  publish(number, std::nullopt);
  xclbin_slot_.close();  // also wakes those who wait
}

// A process that may only look must not take the xclbin away from an owner. If there is no owner it
// must be able to load: whoever opens the array in shared mode may come first.
void AccessModes::note_load(const Uuid& uuid) {
  {
    const std::lock_guard lock(mutex_);
    const std::optional<AccessMode> mode = array();
    if (!mode || *mode == AccessMode::kShared) return;
  }
  xclbin_slot_.become_loader(uuid);
}

void AccessModes::require_may_load(const Uuid& uuid) const {
  {
    const std::lock_guard lock(mutex_);
    if (array() != AccessMode::kShared) return;
  }
  const OtherUsers others(layout_);
  others.consult();
  if (xclbin_slot_.is_resident(uuid) || others.know_as_the_last(uuid)) return;
  // Only more than shared mode forbids this.
  Opponent owner = find_opponent(kArray, AccessMode::kPrimary);
  if (owner.process.empty()) owner = find_opponent_of_other_users(kArray, AccessMode::kPrimary);
  if (owner.process.empty()) return;
  const std::optional<XclbinSlot::Loaded> loaded = xclbin_slot_.loaded();
  // The owner may have loaded this very xclbin since the look above.
  if (loaded && loaded->uuid == uuid) return;
  if (owner.pid && (!loaded || loaded->loader != owner.pid)) return;
  throw Error(CL_INVALID_OPERATION,
              std::string("the array is open in shared mode, which does not permit this: load of "
                          "another xclbin; it is open in ") +
                  name_of(owner.mode) + " mode in " + owner.process,
              EPERM);
}

OpenModes AccessModes::mine() const {
  const std::lock_guard lock(mutex_);
  OpenModes modes;
  if (const auto mode = array()) modes.in(*mode).set(kArray);
  for (const auto& [number, graph] : graphs_) modes.in(graph.mode).set(number);
  return modes;
}

std::vector<AccessModes::Holder> AccessModes::report() const {
  std::vector<Holder> holders;
  const Registry registry(layout_);
  for (Owner owner : registry.everybody()) {
    const ProcessEntry* process = registry.find(owner);
    if (!process) continue;
    if (OpenModes modes = modes_in(*process); !modes.none()) holders.push_back({owner, modes});
  }
  return holders;
}

void AccessModes::show(const OpenModes& modes) {
  bool less = false;
  for (uint32_t w = 0; w < kModeWords; ++w) {
    ModeWord fresh = ModeWord::empty(self_.generation());
    for (uint32_t i = w * kModesPerWord; i < (w + 1) * kModesPerWord && i < kThingsWithModes; ++i)
      fresh = fresh.with(i, modes.strongest(i));
    Atomic<uint64_t>& word = entry().access_modes[w];
    if (word.load() == fresh.bits()) continue;
    change(word, self_.generation(), [&](const ModeWord&) { return fresh; });
    less = true;
  }
  if (less) XclbinSlot::announce_change(layout_);
}

bool AccessModes::forget(ProcessEntry& entry, uint16_t generation) {
  bool any = false;
  for (Atomic<uint64_t>& word : entry.access_modes) {
    if (ModeWord(word.load()).is_empty()) continue;
    const std::optional<ModeWord> before =
        change(word, generation, [&](const ModeWord&) { return ModeWord::empty(generation); });
    any |= before.has_value();
  }
  return any;
}

void AccessModes::begin(ProcessEntry& entry, uint16_t generation) {
  for (Atomic<uint64_t>& word : entry.access_modes) word.store(ModeWord::empty(generation).bits());
}

}  // namespace conclave::share
