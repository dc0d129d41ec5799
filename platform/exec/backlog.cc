// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/backlog.h"

#include <algorithm>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/model/command_queue.h"
#include "platform/model/device.h"
#include "platform/share/guardian.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

ComputeUnitSet united(ComputeUnitSet a, const ComputeUnitSet& b) {
  for (uint32_t i = 0; i < kMaxComputeUnits; ++i)
    if (b.has(i)) a.add(i);
  return a;
}

// A command has to wait, perhaps for another process: from now on it matters when one dies.
void watch_others() {
  const share::Layout& layout = share::Share::get().layout();
  if (layout.header().registrations.load() <= 1) return;  // there has never been another
  static std::once_flag once;
  std::call_once(once, [&] {
    try {
      share::Guardian::start(layout, false);
    } catch (const Error& error) {
      log::error(error.text());
    }
  });
}

}  // namespace

ComputeUnitSet allowed_units(const Event& event) {
  const int32_t gang_unit = event.progress.gang_unit.load();
  if (gang_unit < 0) return event.compute_units();
  ComputeUnitSet one;
  one.add(static_cast<uint32_t>(gang_unit));
  return one;
}

Backlog::Group& Backlog::group_of(const Event& event) {
  const Kind kind = !event.progress.needs_lease     ? Kind::kErrand
                    : event.progress.gang_unit >= 0 ? Kind::kGang
                                                    : Kind::kKernel;
  const ComputeUnitSet units = allowed_units(event);
  for (Group& group : groups_)
    if (group.kind == kind && group.units == units) return group;
  return groups_.emplace_back(Group{units, kind, {}});
}

bool Backlog::may_run(const Tenure& tenure, const Group& group) const {
  if (!needs_right(group)) return true;
  return tenure.right() == Right::kLease ||
         (tenure.right() == Right::kGuest && group.kind == Kind::kKernel);
}

void Backlog::push(Event& event) {
  std::lock_guard lock(mutex_);
  if (event.progress.listed) return;
  event.progress.listed = true;
  Group& group = group_of(event);
  // The first of its group is published at once, which draws its ticket; the others have an older
  // one before them.
  const bool drawn = needs_right(group) && !group.entries.empty();
  const uint64_t ticket = drawn ? units_[0]->leases().draw_ticket() : 0;
  group.entries.push_back({Ref<Event>(&event), next_order_++, ticket, now_ns()});
  count(group, 1, 0);
  pushes_.fetch_add(1);
  publish();
}

// The group whose first entry came before the others', of those that `tenure` may run.
Backlog::Group* Backlog::oldest(const Tenure& tenure) {
  Group* best = nullptr;
  for (Group& group : groups_) {
    if (group.entries.empty() || !group.units.has(tenure.cu().index())) continue;
    if (!may_run(tenure, group)) continue;
    if (!best || group.entries.front().order < best->entries.front().order) best = &group;
  }
  return best;
}

Ref<Event> Backlog::pop(Tenure& tenure) {
  if (size_.load() == 0) return nullptr;
  std::lock_guard lock(mutex_);
  while (Group* group = oldest(tenure)) {
    Entry& entry = group->entries.front();
    if (needs_right(*group) && tenure.is_behind(entry.ticket) && tenure.yield()) continue;
    Event::Progress& progress = entry.event->progress;
    Ref<Event> event = entry.event;
    const bool useful = progress.take_wanted();
    if (useful && entry.since_ns) {
      share::Share::get().entry().wait_ns.fetch_add(now_ns() - entry.since_ns,
                                                    std::memory_order_relaxed);
      entry.since_ns = 0;
    }
    if (!useful || progress.wanted.load() <= 0) {
      progress.listed = false;
      group->entries.pop_front();
      count(*group, 0, 1);
    }
    publish();
    if (useful) return event;
  }
  return nullptr;
}

void Backlog::remove(Event& event) {
  if (size_.load() == 0) return;
  std::lock_guard lock(mutex_);
  if (!event.progress.listed) return;
  event.progress.listed = false;
  Group& group = group_of(event);
  const size_t removed =
      std::erase_if(group.entries, [&](const Entry& entry) { return entry.event.get() == &event; });
  count(group, 0, static_cast<uint32_t>(removed));
  publish();
}

bool Backlog::needs_right(const Group& group) const {
  return group.kind != Kind::kErrand && units_[0]->arbitrated();
}

void Backlog::count(const Group& group, uint32_t added, uint32_t removed) {
  size_.fetch_add(added - removed);
  if (!needs_right(group)) errands_.fetch_add(added - removed);
}

// The units' numbers in the segment.
ComputeUnitSet Backlog::shared(const ComputeUnitSet& units) const {
  ComputeUnitSet set;
  for (const auto& unit : units_)
    if (units.has(unit->index())) set.add(unit->shared());
  return set;
}

// Brings the wishes up to date.
void Backlog::publish() {
  std::erase_if(groups_, [](const Group& group) { return group.entries.empty(); });
  if (!units_[0]->arbitrated()) return;
  if (!has_entry()) {  // somebody has to look again
    count_wanted();
    for (const Group& group : groups_) wake_one(group.units);
    return;
  }
  const GroupsOfWishes groups = share_wishes();
  bool changed = false;
  for (uint32_t i = 0; i < share::kWishes; ++i)
    changed |= groups[i].empty() ? withdraw(i) : publish(i, groups[i]);
  if (changed) count_wanted();
}

// What was published in an entry that is gone counts no longer.
bool Backlog::has_entry() {
  share::Share& share = share::Share::get();
  if (groups_.empty()) return true;
  const bool entered = share.stay_entered();
  if (published_by_.get() == share.self() && entered) return true;
  std::fill(std::begin(published_), std::end(published_), Published());
  published_by_.set(share.self());
  return entered;
}

void Backlog::stay_published() {
  const share::Leases& leases = units_[0]->leases();
  if (leases.entered() && published_by_.get() == leases.self()) return;
  std::lock_guard lock(mutex_);
  publish();
}

// Which groups each wish is for. A group keeps its wish for as long as it has entries, so that its
// ticket changes in one step; where there are more groups than wishes, the last wish is for
// several.
Backlog::GroupsOfWishes Backlog::share_wishes() {
  GroupsOfWishes groups;
  std::vector<Group*> homeless;
  for (Group& group : groups_) {
    if (group.kind == Kind::kErrand) continue;
    auto same = std::find_if(std::begin(published_), std::end(published_), [&](const Published& p) {
      return p.ticket && p.units == group.units;
    });
    if (same != std::end(published_))
      groups[static_cast<size_t>(same - published_)].push_back(&group);
    else
      homeless.push_back(&group);
  }
  for (Group* group : homeless) {
    auto free = std::find_if(groups.begin(), groups.end(), [](auto& list) { return list.empty(); });
    (free != groups.end() ? *free : groups.back()).push_back(group);
  }
  return groups;
}

// Whether there was such a wish.
bool Backlog::withdraw(uint32_t wish) {
  if (!published_[wish].ticket) return false;
  units_[0]->leases().withdraw(wish);
  published_[wish] = {};
  return true;
}

// Whether the wish is another one now.
bool Backlog::publish(uint32_t wish, const std::vector<Group*>& groups) {
  Published next;
  for (const Group* group : groups) {
    const Entry& first = group->entries.front();
    next.units = united(next.units, group->units);
    // Of several groups only one can be new, and its ticket is younger than the others'.
    if (first.ticket && (next.ticket == 0 || first.ticket < next.ticket))
      next.ticket = first.ticket;
  }
  Published& present = published_[wish];
  const bool fresh = present.ticket == 0;
  if (!fresh && next.ticket == present.ticket && next.units == present.units) return false;
  if (fresh) {
    watch_others();
    for (const auto& unit : units_)
      if (next.units.has(unit->index())) unit->ensure_thread();
  }
  next.ticket = units_[0]->leases().wish(wish, shared(next.units), next.ticket);
  if (next.ticket == 0) {  // the entry is gone: stay_published() comes to it
    present = {};
    count_wanted();
    wake_one(next.units);
    return true;
  }
  for (Group* group : groups)
    if (Entry& first = group->entries.front(); !first.ticket) first.ticket = next.ticket;
  present = next;
  if (fresh) {
    count_wanted();
    wake_one(next.units);
  }
  return true;
}

// One worker, that sleeps from now on with a time limit, should a holder stay for too long.
void Backlog::wake_one(const ComputeUnitSet& units) {
  share::Leases& leases = units_[0]->leases();
  for (const auto& unit : units_)
    if (units.has(unit->index())) return leases.wake(unit->shared(), leases.self());
}

void Backlog::count_wanted() {
  uint64_t words[ComputeUnitSet::kWords] = {};
  for (const Group& group : groups_)
    if (needs_right(group))
      for (uint32_t w = 0; w < ComputeUnitSet::kWords; ++w) words[w] |= group.units.word(w);
  for (uint32_t w = 0; w < ComputeUnitSet::kWords; ++w)
    wanted_[w].store(words[w], std::memory_order_relaxed);
}

}  // namespace conclave
