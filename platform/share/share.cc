// SPDX-License-Identifier: Apache-2.0
#include "platform/share/share.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/daemon_client.h"
#include "platform/share/other_users.h"
#include "platform/share/trace.h"

namespace conclave::share {
namespace {

// How often, and at what distance, a process looks at its end whether it is idle.
constexpr int kLooksAtEnd = 50;
constexpr useconds_t kLookAtEndUs = 100;

// A process whose entry is taken away more often than this, within this time, goes on alone.
constexpr int kMostEntries = 16;
constexpr uint64_t kEntrySeriesNs = 10'000'000'000;

std::mutex g_mutex;
// Leaked on purpose: workers may still run when the host's static objects are destroyed.
std::atomic<Share*> g_share{nullptr};
std::atomic<bool> g_child_of_user{false};  // forked from a process that had opened it

}  // namespace

Share& Share::get() {
  Share* share = g_share.load(std::memory_order_acquire);
  if (share && !g_child_of_user.load(std::memory_order_relaxed)) [[likely]]
    return *share;
  std::lock_guard lock(g_mutex);
  share = g_share.load(std::memory_order_acquire);
  if (!share) {
    std::unique_ptr<Share> fresh(new Share);
    fresh->open();
    share = fresh.release();
    g_share.store(share, std::memory_order_release);
    pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); },
                   [] {
                     g_mutex.unlock();
                     g_child_of_user.store(true, std::memory_order_relaxed);
                     trace::forget();
                   });
  } else if (g_child_of_user.load()) {
    share->contexts_ = 0;
    try {
      share->enter_anew(share->membership());
    } catch (const DamagedSegment& damage) {
      if (!share->go_alone(damage.text())) throw;
    }
    share->stay_reachable();
    g_child_of_user.store(false);
  }
  return *share;
}

Share* Share::if_open() {
  return g_child_of_user.load(std::memory_order_relaxed) ? nullptr
                                                         : g_share.load(std::memory_order_acquire);
}

void Share::leave_at_end() noexcept {
  try {
    Share* share = if_open();
    if (!share) return;
    // The thread that ran the last command may be about to give its compute unit back.
    for (int look = 0; !share->is_idle(); ++look) {
      if (look == kLooksAtEnd) return;
      usleep(kLookAtEndUs);
    }
    share->registry().remove(share->self());
    if (share->place_) share->place_->hide();
  } catch (...) {  // others remove what is left
  }
}

namespace {

// Runs after the host's exit handlers and the destructors of its static objects, which may all
// still use OpenCL.
[[gnu::destructor]] void at_end() {
  Share::leave_at_end();
}

}  // namespace

bool Share::is_idle() const {
  const Membership& here = membership();
  for (const UnitPlacement& unit : units_) {
    const Lease lease = Lease::of(here.leases.word(unit.shared));
    if (lease.owner == here.self && lease.state >= Lease::kGranted) return false;
  }
  if (!here.is_entered()) return true;
  for (const Request& request : here.segment.layout().process(here.self.slot()).requests)
    if (request.ticket.load() != 0) return false;
  return true;
}

Membership::Membership(Segment& in, Owner self)
    : segment(in),
      self(self),
      state(EntryState{static_cast<uint32_t>(getpid()), self.generation(), ProcessEntry::kLive}
                .word()),
      registry(in.layout()),
      leases(in.layout(), self),
      heap(in.layout()),
      xclbin_slot(in.layout(), self),
      access_modes(in.layout(), self) {}

Share::Share()
    : units_(place_units(Config::get().compute_units)),
      name_(Config::get().segment.empty() ? kDefaultSegment : Config::get().segment) {}

void Share::open() {
  try {
    move(find_segment());
  } catch (const DamagedSegment& damage) {
    log::error(damage.text() + "; this process does not share the device with others");
    move(Segment::make("", Config::get().shmem_size_kb));
  }
}

// A name that the configuration gives must work. Without such a name, the process goes on alone.
std::unique_ptr<Segment> Share::find_segment() {
  const Config& config = Config::get();
  try {
    place_.emplace(name_);
  } catch (const Error& error) {
    log::warn(error.text());
  }
  try {
    if (auto segment = join()) return segment;
  } catch (const Error& error) {
    if (!config.segment.empty()) throw;
    log::warn(error.text() + "; processes of this user share the device among themselves");
  }
  try {
    if (place_) return place_->find_or_make(config.shmem_size_kb);
  } catch (const Error& error) {
    if (!config.segment.empty()) throw;
    log::warn(error.text() + "; this process does not share the device with others");
    place_.reset();
  }
  return Segment::make("", config.shmem_size_kb);
}

// The daemon's segment; null if none runs. If the daemon has just been started, and this user's
// processes have a segment that an earlier daemon made, that segment is served again.
std::unique_ptr<Segment> Share::join() {
  std::unique_ptr<Segment> segment = join_daemon(name_);
  if (!segment || !place_) return segment;
  if (segment->layout().processes() <= 1) {
    std::unique_ptr<Segment> former = place_->find();
    if (former && former->maker() == segment->maker() &&
        (former->inode() == segment->inode() || offer_to_daemon(name_, *former)))
      segment = std::move(former);
  }
  try {
    place_->show(*segment);
  } catch (const Error& error) {  // it matters only after the daemon has gone
    log::debug(error.text());
  }
  return segment;
}

std::unique_ptr<Membership> Share::enter(Segment& segment) {
  const Layout& layout = segment.layout();
  const Owner self = Registry(layout).enter();
  ProcessEntry& entry = layout.process(self.slot());
  for (uint32_t i : Config::get().compute_unit_list) {
    const uint32_t unit = units_[i].shared;
    entry.units[unit / 64].fetch_or(uint64_t{1} << (unit % 64));
  }
  entry.contexts.store(contexts_);
  return std::make_unique<Membership>(segment, self);
}

void Share::become(std::unique_ptr<Membership> membership) {
  memberships_.push_back(std::move(membership));
  Membership* former = now_.exchange(memberships_.back().get());
  trace::follow(layout().header());
  if (!former) return;
  // Workers sleep in the name of the former owner, so nobody else would ever wake them.
  for (const UnitPlacement& unit : units_) former->leases.wake(unit.shared, former->self);
}

void Share::enter_anew(Membership& former) {
  std::unique_ptr<Membership> fresh = enter(former.segment);
  fresh->policy = former.policy;
  become(std::move(fresh));
}

// Called under the lock, or before others know this object.
void Share::move(std::unique_ptr<Segment> segment) {
  std::unique_ptr<Membership> fresh = enter(*segment);
  try {
    settle(*fresh);
    segments_.push_back(std::move(segment));
  } catch (...) {
    fresh->registry.give_up(fresh->self);
    throw;
  }
  fresh->policy = fresh->leases.policy();
  become(std::move(fresh));
}

void Share::move_to(std::unique_ptr<Segment> segment) {
  const std::lock_guard lock(g_mutex);
  Membership& former = membership();
  move(std::move(segment));
  try {
    former.registry.remove(former.self);
  } catch (const Error& error) {  // its heap blocks stay until others remove them
    log::warn(error.text());
  }
}

bool Share::leave(const Membership& damaged, const std::string& why) noexcept {
  const std::lock_guard lock(g_mutex);
  return &membership() != &damaged || go_alone(why);
}

void Share::leave_if_damaged() noexcept {
  const Membership& here = membership();
  if (!here.segment.layout().is_intact()) leave(here, "its header has been overwritten");
}

// Called under the lock.
bool Share::go_alone(const std::string& why) noexcept {
  Membership& former = membership();
  const std::string& name = former.segment.name();
  try {
    if (name.empty()) {  // nobody else can have done this
      log::error(why);
      return false;
    }
    log::error("shared segment " + name + ": " + why +
               "; this process leaves it, and does not share the device with others any more");
    move(Segment::make("", Config::get().shmem_size_kb));
    // A forked child leaves its parent's entry alone.
    if (EntryState::of(former.state).pid == static_cast<uint32_t>(getpid()))
      former.registry.give_up(former.self);
    if (place_) place_->hide();
    return true;
  } catch (const std::exception& error) {
    log::error(std::string("this process cannot leave a damaged segment: ") + error.what());
    return false;
  }
}

// Whether the process's entry has been taken away so rarely that it may be an accident.
bool Share::may_enter_again() {
  const uint64_t now = now_ns();
  if (entries_ == 0 || now - first_entry_ns_ > kEntrySeriesNs) {
    first_entry_ns_ = now;
    entries_ = 0;
  }
  return ++entries_ <= kMostEntries;
}

bool Share::enter_again() noexcept {
  const std::lock_guard lock(g_mutex);
  Membership& former = membership();
  if (former.is_entered()) return true;
  try {
    if (!may_enter_again())
      return go_alone("this process's entry in the table is taken away again and again");
    log::warn(
        "this process is no longer in the table of those that share the device; it enters again");
    enter_anew(former);
    return true;
  } catch (const std::exception& error) {
    return go_alone(std::string("this process cannot enter the table again: ") + error.what());
  }
}

// If no daemon says how the device is shared, the first of the processes that share it decides.
void Share::settle(Membership& fresh) {
  const Config& config = Config::get();
  Header& header = fresh.segment.layout().header();
  if (header.daemon_pid.load() != 0) return;
  if (fresh.registry.everybody().size() > 1) fresh.registry.remove_dead();
  // If several come at once each may think that another one was first.
  const bool settled = header.time_slice_us.load() != 0 && fresh.heap.size(HeapId::kDdr1) != 0;
  if (settled && fresh.registry.everybody().size() > 1) return;
  header.policy.store(static_cast<uint32_t>(
      config.scheduler == Config::Scheduler::kFcfs ? Policy::kFcfs : Policy::kInterleave));
  header.time_slice_us.store(config.time_slice_us);
  fresh.heap.configure({{config.ddr_heap1_bytes, config.ddr_heap2_bytes, config.msmc_heap_bytes}});
}

// The contexts of all processes of this user; the daemon's entry shows what others have.
uint64_t Share::contexts() const {
  uint64_t sum = 0;
  for (Owner owner : registry().everybody())
    if (const ProcessEntry* entry = registry().find(owner); entry && !is_daemon(layout(), owner))
      sum += entry->contexts.load();
  return sum;
}

// Some other living process with a context; none if there is none.
Owner Share::other_user() const {
  const Membership& here = membership();
  for (Owner owner : here.registry.everybody()) {
    const ProcessEntry* entry = here.registry.find(owner);
    if (owner == here.self || !entry || entry->contexts.load() == 0) continue;
    if (liveness(here.registry.identity(owner)) != Liveness::kDead) return owner;
  }
  return Owner();
}

// A process that wants the device alone says so and then looks for others. Every other process is
// counted and then looks for that one. So of two that come at once at least one sees the other.
// That holds for other users too: the daemon first tells them that somebody wants the device alone,
// and then counts their contexts.
void Share::open_context() {
  leave_if_damaged();
  {
    const std::lock_guard lock(g_mutex);
    stay_reachable();
  }
  count_context(+1);
  if (const std::string holder = exclusive_holder(); !holder.empty()) {
    close_context();
    throw Error(CL_DEVICE_NOT_AVAILABLE,
                "the device is held alone (multiprocess=false) by " + holder, EPERM);
  }
  if (const uint32_t most = layout().header().most_contexts.load(); most && contexts() > most) {
    close_context();
    throw Error(CL_OUT_OF_RESOURCES, "this user may have " + std::to_string(most) +
                                         " contexts (quotas of ti-mctd) and has as many");
  }
  if (Config::get().multiprocess) return;
  uint32_t nobody = 0;
  layout().header().exclusive.compare_exchange_strong(nobody, self().bits());
  OtherUsers(layout()).consult();
  const Owner other = other_user();
  if (!other) return;
  close_context();
  throw Error(CL_DEVICE_NOT_AVAILABLE,
              "this process wants the device alone (multiprocess=false), and it is in use by " +
                  registry().describe(other),
              EPERM);
}

// Makes sure that newcomers find the segment, and that a daemon which was started again serves it.
// Called under the lock.
void Share::stay_reachable() {
  if (!place_ || segment().name().empty()) return;
  try {
    if (segment().maker() != geteuid() && layout().header().daemon.load() == 0)
      offer_to_daemon(name_, segment());
    if (!place_->shows(segment()) && !place_->show(segment()))
      log::warn("processes of this user meet in another shared segment (" + place_->path() +
                ") than that which this process has: start it again to share with all");
  } catch (const Error& error) {
    log::warn(error.text());
  }
}

// Returns how many there are.
uint32_t Share::count_context(int change) {
  ProcessEntry& mine = entry();
  const std::lock_guard lock(g_mutex);
  if (change > 0)
    ++contexts_;
  else if (contexts_ > 0)
    --contexts_;
  mine.contexts.store(contexts_);
  return contexts_;
}

void Share::close_context() {
  if (count_context(-1) > 0) return;
  uint32_t mine = self().bits();
  if (layout().header().exclusive.compare_exchange_strong(mine, 0)) OtherUsers(layout()).consult();
}

std::string Share::exclusive_holder() {
  Membership& here = membership();
  Atomic<uint32_t>& exclusive = here.segment.layout().header().exclusive;
  const Owner holder = Owner::from_bits(exclusive.load());
  if (!holder || holder == here.self) return "";
  if (is_daemon(here.segment.layout(), holder) && !OtherUsers(here.segment.layout()).are_there())
    return "";
  if (!here.registry.find(holder) || liveness(here.registry.identity(holder)) == Liveness::kDead) {
    here.registry.remove(holder);
    uint32_t bits = holder.bits();
    exclusive.compare_exchange_strong(bits, 0);
    return "";
  }
  return here.registry.describe(holder);
}

}  // namespace conclave::share
