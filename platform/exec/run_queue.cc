// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/run_queue.h"

#include <algorithm>
#include <exception>
#include <new>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/exec/admission.h"
#include "platform/exec/trace_run.h"
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

// For this long after this process has waited for a compute unit, its workers expect hand-overs.
constexpr uint64_t kSharingNs = 100'000'000;

// A command that has waited for so long may be a guest's even if it is long: nobody can tell
// whether the holder's turn ever ends.
constexpr uint64_t kLongWaitNs = 300'000'000;

}  // namespace

// A command has to wait, perhaps for another process, so deaths of other processes matter from now
// on.
void RunQueue::watch_others() {
  const share::Segment& segment = share::Share::get().segment();
  if (watched_ == &segment) return;
  if (segment.layout().header().registrations.load() <= 1)
    return;  // nobody else has ever been there
  watched_ = &segment;
  share::Guardian::start_once(segment.layout());
}

ComputeUnitSet allowed_units(const Event& event) {
  const int32_t gang_cu = event.work.gang_cu.load();
  if (gang_cu < 0) return event.compute_units();
  ComputeUnitSet one;
  one.add(static_cast<uint32_t>(gang_cu));
  return one;
}

RunQueue::Group& RunQueue::group_of(const Event& event) {
  const Kind kind = !event.work.needs_lease   ? Kind::kHostTask
                    : event.work.gang_cu >= 0 ? Kind::kGang
                                              : Kind::kKernel;
  const ComputeUnitSet units = allowed_units(event);
  for (Group& group : groups_)
    if (group.kind == kind && group.units == units) return group;
  return groups_.emplace_back(Group{units, kind});
}

bool RunQueue::may_run(const ScopedLease& lease, const Group& group) const {
  if (!needs_right(group)) return true;
  if (lease.right() == Right::kLease || lease.permit().uninvited) return true;
  return lease.right() == Right::kGuest && group.kind == Kind::kKernel &&
         (lease.permit().overdue_word != 0 || may_visit(group));
}

// Whether a guest may run the oldest command of the group.
bool RunQueue::may_visit(const Group& group) {
  const WorkRecord& oldest = group.entries.front();
  const uint64_t since = oldest.waiting.since_ns;
  return is_brief(oldest.event) || (since && now_ns() - since > kLongWaitNs);
}

// Finds the group whose first entry came first, among those for `unit` that suit.
template <class Suits>
RunQueue::Group* RunQueue::oldest(uint32_t unit, Suits&& suits) {
  Group* best = nullptr;
  for (Group& group : groups_) {
    if (group.entries.empty() || !group.units.has(unit) || !suits(group)) continue;
    if (!best || group.first().order < best->first().order) best = &group;
  }
  return best;
}

std::optional<share::Visitor> RunQueue::next_visitor(uint32_t unit) {
  std::lock_guard lock(mutex_);
  const Group* group =
      oldest(unit, [&](const Group& any) { return any.kind == Kind::kKernel && may_visit(any); });
  if (!group) return std::nullopt;
  return visitor_for(group->entries.front().event);
}

void RunQueue::push(Event& event) {
  std::lock_guard lock(mutex_);
  WorkRecord::Waiting& waiting = event.work.waiting;
  if (waiting.listed.load(std::memory_order_relaxed)) return;
  start_worker(allowed_units(event));
  Group& group = group_of(event);
  // The first command of its group is published at once, which draws its ticket. The others have an
  // older one before them.
  const bool drawn = needs_right(group) && !group.entries.empty();
  waiting.order = next_order_++;
  waiting.ticket = drawn ? units_[0]->leases().draw_ticket() : 0;
  waiting.since_ns = now_ns();
  waiting.listed.store(true);
  event.retain();
  group.entries.push_back(event.work);
  count(group, 1, 0);
  pushes_.fetch_add(1);
  publish();
}

// Makes sure that a thread exists to take up what is going to wait for these compute units.
void RunQueue::start_worker(const ComputeUnitSet& units) {
  for (const auto& unit : units_)
    if (units.has(unit->index()) && unit->has_thread()) return;
  std::exception_ptr failure;
  for (const auto& unit : units_) {
    if (!units.has(unit->index())) continue;
    try {
      return unit->ensure_thread();
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

Ref<Event> RunQueue::pop(ScopedLease& lease) {
  if (size_.load() == 0) return nullptr;
  std::lock_guard lock(mutex_);
  const auto may_run_here = [&](const Group& group) { return may_run(lease, group); };
  while (Group* group = oldest(lease.cu().index(), may_run_here)) {
    Event& event = group->entries.front().event;
    WorkRecord& work = event.work;
    if (needs_right(*group) && lease.is_behind(work.waiting.ticket) && lease.yield()) continue;
    Ref<Event> taken(&event);
    const bool useful = work.take_wanted();
    if (useful && work.waiting.since_ns) {
      taken_ns_ = now_ns();
      share::Share::get().entry().wait_ns.fetch_add(taken_ns_ - work.waiting.since_ns,
                                                    std::memory_order_relaxed);
      if (share::trace::is_on()) trace_wait(lease, event, work.waiting.since_ns, taken_ns_);
      work.waiting.since_ns = 0;
    }
    if (!useful || work.wanted.load() <= 0) drop(*group, event);
    publish();
    if (useful) return taken;
  }
  return nullptr;
}

// Takes an entry off its group's list. The caller has a reference to the event.
void RunQueue::drop(Group& group, Event& event) {
  event.work.waiting.listed.store(false);
  group.entries.erase(group.entries.iterator_to(event.work));
  count(group, 0, 1);
  event.release();
}

bool RunQueue::remove(Event& event) {
  if (!event.work.waiting.listed.load()) return false;
  std::lock_guard lock(mutex_);
  if (!event.work.waiting.listed.load()) return false;
  drop(group_of(event), event);
  publish();
  return true;
}

bool RunQueue::needs_right(const Group& group) const {
  return group.kind != Kind::kHostTask && units_[0]->arbitrated();
}

void RunQueue::count(const Group& group, uint32_t added, uint32_t removed) {
  size_.fetch_add(added - removed);
  if (!needs_right(group)) host_tasks_.fetch_add(added - removed);
}

// The numbers of the compute units in the segment.
ComputeUnitSet RunQueue::shared(const ComputeUnitSet& units) const {
  ComputeUnitSet set;
  for (const auto& unit : units_)
    if (units.has(unit->index())) set.add(unit->shared());
  return set;
}

// Brings the requests up to date.
void RunQueue::publish() {
  groups_.remove_if([](const Group& group) { return group.entries.empty(); });
  if (!units_[0]->arbitrated()) return;
  if (!has_entry()) {  // somebody has to look again
    count_wanted();
    for (const Group& group : groups_) wake_one(group.units);
    return;
  }
  share::Share::get().entry().queued.store(size_.load() - host_tasks_.load(),
                                           std::memory_order_relaxed);
  assign_requests();
  bool changed = false;
  for (uint32_t i = 0; i < share::kRequests; ++i) changed |= publish(i);
  if (changed) count_wanted();
}

// What was published in an entry that is gone no longer counts.
bool RunQueue::has_entry() {
  share::Share& share = share::Share::get();
  if (groups_.empty()) return true;
  const bool entered = share.stay_entered();
  const share::Membership* here = &share.membership();
  if (published_in_ == here && entered) return true;
  std::fill(std::begin(published_), std::end(published_), Published());
  published_in_ = here;
  return entered;
}

void RunQueue::stay_published() {
  std::lock_guard lock(mutex_);
  share::Membership& here = share::Share::get().membership();
  bool changed = published_in_ != &here || !here.is_entered();
  for (uint32_t i = 0; i < share::kRequests && !changed; ++i)
    changed = published_[i].ticket
                  ? !here.leases.is_published(i, shared(published_[i].units), published_[i].ticket)
                  : here.leases.has_request(i);
  if (!changed) return;
  // Somebody else's request in this process's name would have compute units handed to it for ever.
  for (uint32_t i = 0; i < share::kRequests; ++i)
    if (!published_[i].ticket) here.leases.withdraw(i);
  std::fill(std::begin(published_), std::end(published_), Published());
  publish();
}

uint64_t RunQueue::standstill_ns() {
  std::lock_guard lock(mutex_);
  uint64_t since = 0;
  for (Group& group : groups_)
    if (!group.entries.empty() && needs_right(group) && group.first().since_ns)
      since = since ? std::min(since, group.first().since_ns) : group.first().since_ns;
  return since ? now_ns() - std::max(since, taken_ns_) : 0;
}

bool RunQueue::shares_units() const {
  for (const auto& word : wanted_)
    if (word.load() != 0) return true;
  const uint64_t at = shared_ns_.load();
  return at != 0 && now_ns() - at < kSharingNs;
}

// Decides which groups each request is for. A group keeps its request as long as it has entries, so
// its ticket changes in one step. If there are more groups than requests, several share the last
// request.
void RunQueue::assign_requests() {
  bool taken[share::kRequests] = {};
  for (const Group& group : groups_)
    if (group.request < share::kRequests) taken[group.request] = true;
  for (Group& group : groups_) {
    if (group.kind == Kind::kHostTask || group.request < share::kRequests) continue;
    group.request = 0;
    while (group.request < share::kRequests - 1 && taken[group.request]) ++group.request;
    taken[group.request] = true;
  }
}

// Publishes the request, or withdraws it if no group has it. Returns whether the request has
// changed.
bool RunQueue::publish(uint32_t request) {
  Published& present = published_[request];
  Published next;
  for (Group& group : groups_) {
    if (group.request != request) continue;
    next.units = united(next.units, group.units);
    // Only one of several groups can be new, and its ticket is younger than the others'.
    const uint64_t ticket = group.first().ticket;
    if (ticket && (next.ticket == 0 || ticket < next.ticket)) next.ticket = ticket;
  }
  const bool fresh = present.ticket == 0;
  next.units = with_threads(next.units, fresh);
  if (next.units.size() == 0) {
    if (fresh) return false;
    units_[0]->leases().withdraw(request);
    shared_ns_.store(now_ns());
    present = {};
    return true;
  }
  if (!fresh && next.ticket == present.ticket && next.units == present.units) return false;
  if (fresh) watch_others();
  next.ticket = units_[0]->leases().request(request, shared(next.units), next.ticket);
  if (next.ticket == 0) {  // the entry is gone: stay_published() will see to it
    present = {};
    count_wanted();
    wake_one(next.units);
    return true;
  }
  for (Group& group : groups_)
    if (group.request == request && !group.first().ticket) group.first().ticket = next.ticket;
  present = next;
  if (fresh) {
    shared_ns_.store(now_ns());
    count_wanted();
    stir_all();
    wake_one(next.units);
  }
  return true;
}

// The compute units that have a worker: one without would lose, for all, what is handed over to it.
// `start`: starts the workers that do not run yet.
ComputeUnitSet RunQueue::with_threads(const ComputeUnitSet& units, bool start) {
  ComputeUnitSet set;
  for (const auto& unit : units_) {
    if (!units.has(unit->index())) continue;
    try {
      if (start) unit->ensure_thread();
    } catch (const std::exception& error) {
      log::error(error.what());
    }
    if (unit->has_thread()) set.add(unit->index());
  }
  return set;
}

// Wakes one worker. From now on it sleeps with a time limit, in case a holder stays for too long.
void RunQueue::wake_one(const ComputeUnitSet& units) {
  for (const auto& unit : units_)
    if (units.has(unit->index())) return unit->wake();
}

// Wakes the workers that have slept for this process alone: other processes cannot wake those.
void RunQueue::stir_all() {
  for (const auto& unit : units_) unit->stir();
}

void RunQueue::count_wanted() {
  uint64_t words[ComputeUnitSet::kWords] = {};
  for (const Group& group : groups_)
    if (needs_right(group))
      for (uint32_t w = 0; w < ComputeUnitSet::kWords; ++w) words[w] |= group.units.word(w);
  for (uint32_t w = 0; w < ComputeUnitSet::kWords; ++w) wanted_[w].store(words[w]);
}

}  // namespace conclave
