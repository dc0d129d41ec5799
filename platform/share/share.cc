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
#include "platform/share/daemon_client.h"

namespace conclave::share {
namespace {

// How often, and after how long, a process looks at its end whether it has come to rest.
constexpr int kLooksAtEnd = 50;
constexpr useconds_t kLookAtEndUs = 100;

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
    std::unique_ptr<Share> fresh(new Share());
    fresh->enter();
    try {
      fresh->settle();
    } catch (...) {
      fresh->registry_.remove(fresh->self());
      throw;
    }
    share = fresh.release();
    g_share.store(share, std::memory_order_release);
    pthread_atfork([] { g_mutex.lock(); }, [] { g_mutex.unlock(); },
                   [] {
                     g_mutex.unlock();
                     g_child_of_user.store(true, std::memory_order_relaxed);
                   });
  } else if (g_child_of_user.load()) {
    share->contexts_ = 0;
    share->enter();
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
    // Whoever ran the last command may be about to give its compute unit back.
    for (int look = 0; !share->is_idle(); ++look) {
      if (look == kLooksAtEnd) return;
      usleep(kLookAtEndUs);
    }
    share->registry_.remove(share->self());
    if (share->place_) share->place_->hide();
  } catch (...) {  // others remove what is left
  }
}

namespace {

// Runs after the host's exit handlers and the destructors of its static objects, all of which may
// still use OpenCL.
[[gnu::destructor]] void at_end() {
  Share::leave_at_end();
}

}  // namespace

bool Share::is_idle() const {
  for (const UnitPlacement& unit : units_) {
    const Lease lease = Lease::of(leases_.word(unit.shared));
    if (lease.owner == self() && lease.state >= Lease::kGranted) return false;
  }
  if (!leases_.entered()) return true;
  for (const Wish& wish : layout().process(self().slot()).wishes)
    if (wish.ticket.load() != 0) return false;
  return true;
}

Share::Share()
    : name_(Config::get().segment.empty() ? kDefaultSegment : Config::get().segment),
      segment_(find_segment()),
      units_(place_units(Config::get().compute_units)),
      registry_(layout()),
      leases_(layout(), Owner()),
      heap_(layout()),
      image_slot_(layout(), Owner()) {}

// A name that the configuration gives has to work; without one, the process goes on alone.
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

// The daemon's; null where none runs. Where it has just been started and this user's processes have
// a segment that an earlier daemon made, that one is served again.
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
  } catch (const Error& error) {  // it matters only when the daemon has gone
    log::debug(error.text());
  }
  return segment;
}

void Share::enter() {
  const Owner former = self();
  const Owner fresh = registry_.enter();
  ProcessEntry& entry = layout().process(fresh.slot());
  for (uint32_t i : Config::get().compute_unit_list) {
    const uint32_t unit = units_[i].shared;
    entry.units[unit / 64].fetch_or(uint64_t{1} << (unit % 64));
  }
  entry.contexts.store(contexts_);
  image_slot_.set_self(fresh);
  leases_.set_self(fresh);
  if (!former) return;
  // Workers sleep as the former owner: nobody else would ever wake them.
  for (const UnitPlacement& unit : units_) leases_.wake(unit.shared, former);
}

bool Share::enter_again() noexcept {
  try {
    const std::lock_guard lock(g_mutex);
    if (leases_.entered()) return true;
    log::warn(
        "this process is no longer in the table of those that share the device; it enters again");
    enter();
    return true;
  } catch (const std::exception& error) {
    log::error(
        std::string("this process cannot enter the table of those that share the device again: ") +
        error.what());
    return false;
  }
}

// Where no daemon says how the device is shared, the first of those who share it does.
void Share::settle() {
  const Config& config = Config::get();
  Header& header = layout().header();
  if (header.daemon_pid.load() != 0) return;
  if (registry_.everybody().size() > 1) registry_.remove_dead();
  // Of several that come at once each may think that another was first.
  const bool settled = header.time_slice_us.load() != 0 && heap_.size(HeapId::kDdr1) != 0;
  if (settled && registry_.everybody().size() > 1) return;
  header.policy.store(static_cast<uint32_t>(
      config.scheduler == Config::Scheduler::kFcfs ? Policy::kFcfs : Policy::kInterleave));
  header.time_slice_us.store(config.time_slice_us);
  heap_.configure({{config.ddr_heap1_bytes, config.ddr_heap2_bytes, config.msmc_heap_bytes}});
}

// Of all processes of the segment.
uint64_t Share::contexts() const {
  uint64_t sum = 0;
  for (Owner owner : registry_.everybody())
    if (const ProcessEntry* entry = registry_.find(owner)) sum += entry->contexts.load();
  return sum;
}

// Some other living process with a context; none where there is none.
Owner Share::other_user() const {
  for (Owner owner : registry_.everybody()) {
    const ProcessEntry* entry = registry_.find(owner);
    if (owner == self() || !entry || entry->contexts.load() == 0) continue;
    if (liveness(registry_.identity(owner)) != Liveness::kDead) return owner;
  }
  return Owner();
}

// Whoever wants the device alone says so and then looks for others; everybody else is counted and
// then looks for that. So of two that come at once at least one sees the other.
void Share::open_context() {
  stay_reachable();
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
  const Owner other = other_user();
  if (!other) return;
  close_context();
  throw Error(CL_DEVICE_NOT_AVAILABLE,
              "this process wants the device alone (multiprocess=false), and it is in use by " +
                  registry_.describe(other),
              EPERM);
}

// That newcomers find the segment, and a daemon that was started again serves it.
void Share::stay_reachable() {
  if (!place_) return;
  try {
    if (segment_->maker() != geteuid() && layout().header().daemon.load() == 0)
      offer_to_daemon(name_, *segment_);
    if (!place_->shows(*segment_) && !place_->show(*segment_))
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
  layout().header().exclusive.compare_exchange_strong(mine, 0);
}

std::string Share::exclusive_holder() {
  const Owner holder = Owner::from_bits(layout().header().exclusive.load());
  if (!holder || holder == self()) return "";
  if (!registry_.find(holder) || liveness(registry_.identity(holder)) == Liveness::kDead) {
    registry_.remove(holder);
    uint32_t bits = holder.bits();
    layout().header().exclusive.compare_exchange_strong(bits, 0);
    return "";
  }
  return registry_.describe(holder);
}

}  // namespace conclave::share
