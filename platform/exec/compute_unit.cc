// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/compute_unit.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "platform/base/background_thread.h"
#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/futex.h"
#include "platform/exec/engine.h"
#include "platform/exec/scoped_lease.h"
#include "platform/loader/fault_handlers.h"
#include "platform/loader/kernel_calls.h"

namespace conclave {
namespace {

// A worker without work looks this often before it sleeps: about two microseconds, which is less
// than a sleep and a wake-up cost.
constexpr int kSpins = 60;

// For how long a worker does not stay awake after others have wanted its CPU. To yield to them does
// not suffice: Linux would give it as much of the CPU as them. The time doubles while they still want it
// when the worker tries again: a host thread that enqueues for a moment should not cost a wake-up for
// each launch of the next 100 ms.
constexpr uint64_t kShortestCalmNs = 1'000'000, kLongestCalmNs = 100'000'000;

// How long a worker waits for its turn before it looks at the compute unit's holder: that may have
// been stopped, or be in a work-group that never ends.
constexpr uint64_t kPatienceNs = 50'000'000;
constexpr uint64_t kLongestSleepNs = 120'000'000;

// A worker whose last work was shorter runs as soon as it wakes.
constexpr uint64_t kLongNs = 1'000'000;

// The compute unit whose worker the current thread is.
thread_local const ComputeUnit* t_worker_of = nullptr;

// Kernels run on the worker's stack, but for those with more than 8 MiB of private memory.
constexpr size_t kStackBytes = 16u << 20;
// The size of the guard below the stack: a function with large variables must not step over it.
constexpr size_t kStackGuardBytes = 1u << 20;

// Local memory and spill area that most kernels need.
constexpr size_t kUsualBytes = 32 << 10;
// How much of its stack a worker touches at its start, so that its first kernel need not wait for it.
constexpr size_t kTouchedStackBytes = 16 << 10;

[[gnu::noinline]] void touch_stack() {
  volatile char pages[kTouchedStackBytes];
  for (size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 0;
}

// How often others have run instead of the calling thread, which could have gone on.
long preemptions_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

const abi::Workspace& ComputeUnit::workspace(size_t local_bytes, size_t spill_bytes,
                                             const void* stack_end) {
  std::byte* block = local_.at_least(abi::kBlockAlignment + local_bytes);
  workspace_.local_memory = block + abi::kBlockAlignment;
  workspace_.spill = spill_.at_least(spill_bytes);
  services_.forget_local_heap();
  *reinterpret_cast<abi::UnitAccess*>(static_cast<std::byte*>(workspace_.local_memory) -
                                      abi::kUnitAccessBytes) = access_;
  *reinterpret_cast<abi::AddressRanges*>(block) =
      abi::address_ranges(workspace_, local_bytes, spill_bytes, stack_end);
  return workspace_;
}

const abi::AddressRanges& ComputeUnit::address_ranges() const {
  return *reinterpret_cast<const abi::AddressRanges*>(
      static_cast<const std::byte*>(workspace_.local_memory) - abi::kBlockAlignment);
}

void ComputeUnit::post(Event* event, const Permit& permit) {
  ensure_thread();
  posted_ = event;
  posted_permit_ = permit;
  const int32_t before = signal_.exchange(kPosted);
  if (before == kResting) futex_wake(signal_);
  if (before == kSleeping) wake();
}

void ComputeUnit::wake() {
  share::Leases& leases = this->leases();
  leases.wake(shared(), leases.self());
  stir();
}

void ComputeUnit::stir() {
  int32_t resting = kResting;
  if (signal_.load() == kResting && signal_.compare_exchange_strong(resting, kEmpty))
    futex_wake(signal_);
}

void ComputeUnit::prepare() {
  *local_.at_least(kUsualBytes) = {};
  *spill_.at_least(kUsualBytes) = {};
  ensure_thread();
}

void ComputeUnit::ensure_thread() {
  if (has_thread()) return;
  const std::lock_guard lock(starting_);
  if (has_thread()) return;
  start_thread();
  has_thread_.store(true, std::memory_order_release);
}

void ComputeUnit::start_thread() {
  char name[16];
  std::snprintf(name, sizeof name, "conclave-cu%u", index_ % 1000);
  start_background_thread<&ComputeUnit::work>(name, this,
                                              {.stack_bytes = kStackBytes,
                                               .guard_bytes = kStackGuardBytes,
                                               .cpu = place_.cpu,
                                               .runs_kernels = true});
}

void ComputeUnit::computed(uint64_t ns) {
  if (this != t_worker_of) return;
  computed_ns_ += ns;
  if (claim_.prompt() && computed_ns_ >= kLongNs) claim_.set(false);
}

// Looks for work for as long as that is worth it, and tells whether some has come. A thread of
// others that wants the CPU gets it at once. Then the worker does not stay awake for a while.
bool ComputeUnit::stay_awake() {
  const auto has_work = [this] {
    for (int i = 0; i < kSpins; ++i) {
      if (signal_.load(std::memory_order_relaxed) != kEmpty) return true;
      spin_pause();
    }
    return false;
  };
  if (has_work()) return true;
  const LaunchGaps& gaps = Engine::get().launch_gaps();
  uint64_t now = now_ns();
  if (now < calm_until_ns_ || now >= gaps.awake_until(idle_since_ns_)) return false;
  const long preemptions = preemptions_of_this_thread();
  while (now < gaps.awake_until(idle_since_ns_) && !Dispatcher::handed_over(*this)) {
    sched_yield();
    now = now_ns();
    if (preemptions_of_this_thread() != preemptions) {
      calm_ns_ = std::clamp(2 * calm_ns_, kShortestCalmNs, kLongestCalmNs);
      calm_until_ns_ = now + calm_ns_;
      break;
    }
    if (has_work()) {
      calm_ns_ = 0;
      return true;
    }
  }
  return false;
}

// Sleeps until there may be something to do.
void ComputeUnit::sleep() {
  if (stay_awake()) return;
  if (const bool prompt = computed_ns_ < kLongNs; prompt != claim_.prompt()) claim_.set(prompt);
  computed_ns_ = 0;
  if (Engine::get().shares_units())
    sleep_among_others();
  else
    rest();
}

// Rests until a post, without any part of another process. It is for the time while nobody else has
// wanted what this process wants, so that nobody can hand anything over.
void ComputeUnit::rest() {
  int32_t expected = kEmpty;
  if (!signal_.compare_exchange_strong(expected, kResting)) return;
  if (!Engine::get().shares_units()) futex_wait(signal_, kResting);
  expected = kResting;
  signal_.compare_exchange_strong(expected, kEmpty);
}

// Sleeps until a post, or a wake-up by another process. Nobody polls: only a worker whose process
// waits for this compute unit looks from time to time whether its holder is still well. Other
// workers sleep for a moment at most, since any process can change the word that wakes them, and
// then rest.
void ComputeUnit::sleep_among_others() {
  Engine& engine = Engine::get();
  const share::Membership& here = share_.membership();
  const share::Leases& leases = here.leases;
  const uint32_t seen = leases.wake_count(shared());
  // A thread that enters again, or another segment, wakes those that sleep in the former place.
  if (&here != &share_.membership()) return;
  if (leases.granted(shared()) && engine.take_up(*this)) return;
  int32_t expected = kEmpty;
  if (!signal_.compare_exchange_strong(expected, kSleeping, std::memory_order_acquire)) return;
  const bool waits = engine.waits_for(*this);
  if (!waits)
    looked_ns_ = 0;
  else if (looked_ns_ == 0)
    looked_ns_ = now_ns();
  leases.sleep(shared(), seen, waits ? kPatienceNs : kLongestSleepNs);
  expected = kSleeping;
  signal_.compare_exchange_strong(expected, kEmpty, std::memory_order_relaxed);
  // The clock decides: the word, which others can change, may end each sleep at once.
  if (!waits || now_ns() - looked_ns_ < kPatienceNs) return;
  looked_ns_ = 0;
  engine.look_at_overdue_holders();
}

void ComputeUnit::work() {
  t_worker_of = this;
  touch_stack();
  fault_handlers::use_alternate_stack();
  kernel_calls::prepare_thread();
  for (;;) {
    idle_since_ns_ = now_ns();
    while (signal_.load(std::memory_order_acquire) != kPosted) sleep();
    Event* event = posted_;
    ScopedLease lease(*this, posted_permit_);
    signal_.store(kEmpty, std::memory_order_relaxed);
    Engine::get().serve(std::move(lease), Ref<Event>::adopt(event));
  }
}

}  // namespace conclave
