// SPDX-License-Identifier: Apache-2.0
#include "platform/check/race_check.h"

namespace conclave::check {
namespace {

using abi::CheckedAccess;

uint32_t item_of(uint64_t tag) {
  return static_cast<uint32_t>(tag);
}

// Other threads may store too; one of them is noted.
uint64_t load(const uint64_t& tag) {
  return __atomic_load_n(&tag, __ATOMIC_RELAXED);
}
void store(uint64_t& tag, uint64_t value) {
  __atomic_store_n(&tag, value, __ATOMIC_RELAXED);
}

}  // namespace

RaceCheck::RaceCheck(const Unit& unit, bool is_local, uint32_t item, CheckedAccess access)
    : unit_(unit),
      is_local_(is_local),
      item_(item),
      access_(access),
      stretch_(is_local ? unit.local_tag : unit.tag),
      least_(is_local ? unit.local_tag : unit.launch_tag),
      group_(group_of(item)) {}

uint64_t RaceCheck::group_of(uint32_t item) const {
  const abi::Launch& launch = unit_.checked->launch();
  uint64_t rest = item, group = 0, groups = 1;
  for (int d = 0; d < 3; ++d) {
    const uint64_t id = rest % launch.global_size[d];
    rest /= launch.global_size[d];
    group += id / launch.local_size[d] * groups;
    groups *= launch.num_groups[d];
  }
  return group & abi::kItemMask;
}

// Whether a barrier of the group lies between then and now.
bool RaceCheck::is_ordered(uint64_t tag, uint64_t group) const {
  return !is_local_ && group == group_ &&
         (tag >> abi::kTagItemBits) < (stretch_ >> abi::kTagItemBits);
}

bool RaceCheck::is_other_writer(uint64_t tag) const {
  if (!is_new(tag)) return false;
  const uint32_t item = item_of(tag);
  const bool was_atomic = (item & abi::kAtomicItem) != 0;
  const bool is_atomic = access_ == CheckedAccess::kAtomic || access_ == CheckedAccess::kAtomicRead;
  if (was_atomic && is_atomic) return false;
  if (item == abi::kManyItems) return true;
  const uint32_t writer = item & abi::kItemMask;
  return writer != item_ && !is_ordered(tag, group_of(writer));
}

bool RaceCheck::is_other_reader(uint64_t tag) const {
  if (!is_new(tag)) return false;
  const uint32_t item = item_of(tag);
  if (item == abi::kManyItems) return true;
  if (item & abi::kItemsOfGroup) return !is_ordered(tag, item & abi::kItemMask);
  return item != item_ && !is_ordered(tag, group_of(item));
}

std::optional<Race> RaceCheck::find(const TagRange& tags) const {
  const auto known = [](uint64_t tag) -> std::optional<uint32_t> {
    const uint32_t item = item_of(tag);
    if (item == abi::kManyItems) return std::nullopt;
    return item & abi::kItemMask;
  };
  for (uint64_t i = 0; i < tags.count; ++i) {
    const uint64_t writer = load(tags.writers[i]);
    if (is_other_writer(writer)) return Race{true, known(writer)};
    if (access_ == CheckedAccess::kRead || access_ == CheckedAccess::kAtomicRead) continue;
    const uint64_t reader = load(tags.readers[i]);
    if (!is_other_reader(reader)) continue;
    if (item_of(reader) & abi::kItemsOfGroup) return Race{false, std::nullopt};
    return Race{false, known(reader)};
  }
  return std::nullopt;
}

// Several readers are recorded as their group, or as readers of several groups.
uint64_t RaceCheck::reader_tag(uint64_t before) const {
  const uint32_t item = item_of(before);
  if (!is_new(before) || item == item_) return stretch_ | item_;
  if (item == abi::kManyItems || is_local_) return stretch_ | abi::kManyItems;
  const uint64_t group = item & abi::kItemsOfGroup ? item & abi::kItemMask : group_of(item);
  return stretch_ | (group == group_ ? abi::kItemsOfGroup | group_ : abi::kManyItems);
}

void RaceCheck::note(const TagRange& tags) const {
  for (uint64_t i = 0; i < tags.count; ++i) {
    const uint64_t writer = load(tags.writers[i]);
    switch (access_) {
      case CheckedAccess::kRead:
        store(tags.readers[i], reader_tag(load(tags.readers[i])));
        break;
      case CheckedAccess::kAtomic: {
        // The work-item's own plain write tells others more.
        if (is_new(writer) && item_of(writer) == item_) break;
        const bool is_same = !is_new(writer) || (item_of(writer) & abi::kItemMask) == item_;
        store(tags.writers[i], stretch_ | (is_same ? abi::kAtomicItem | item_ : abi::kManyItems));
        break;
      }
      case CheckedAccess::kAtomicRead:
        break;
      default:
        store(tags.writers[i], stretch_ | item_);
    }
  }
}

}  // namespace conclave::check
