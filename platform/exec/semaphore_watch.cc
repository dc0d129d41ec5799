// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/semaphore_watch.h"

#include <algorithm>
#include <utility>

#include "platform/base/background_thread.h"
#include "platform/base/error.h"
#include "platform/base/futex_group.h"

namespace conclave {
namespace {

// The longest sleep on the words of all semaphores, and how often to look where the system cannot
// sleep on so many, or at all on more than one (before Linux 5.16).
constexpr uint64_t kLongestSleepNs = 2'000'000'000;
constexpr uint64_t kPollNs = 1'000'000;

}  // namespace

SemaphoreWatch& SemaphoreWatch::get() {
  // Leaked on purpose: its thread may still run when the host's static objects are destroyed.
  static auto* watch = new SemaphoreWatch;
  return *watch;
}

// The count comes before the look at the semaphore; signal() has it the other way round.
bool SemaphoreWatch::park(Waiting& waiting, Semaphore& semaphore, std::function<void()> go_on) {
  const std::lock_guard lock(mutex_);
  Parked parked{&waiting, Ref<Semaphore>(&semaphore), std::move(go_on)};
  if (parked.is_shared()) ensure_thread();
  parked_.reserve(parked_.size() + 1);
  waits_.fetch_add(1);
  if (waiting.is_over()) {
    waits_.fetch_sub(1);
    return false;
  }
  const bool is_shared = parked.is_shared();
  parked_.push_back(std::move(parked));
  if (!is_shared) return true;
  arrived_.notify_one();
  bell_.fetch_add(1);
  futex_wake_shared(bell_);
  return true;
}

void SemaphoreWatch::look() {
  if (waits_.load() == 0) return;
  std::unique_lock lock(mutex_);
  std::vector<Parked> ready = take_over();
  lock.unlock();
  for (Parked& parked : ready) parked.go_on();
}

// Takes out those that can go on.
std::vector<SemaphoreWatch::Parked> SemaphoreWatch::take_over() {
  std::vector<Parked> ready;
  std::erase_if(parked_, [&](Parked& parked) {
    if (!parked.waiting->is_over()) return false;
    ready.push_back(std::move(parked));
    return true;
  });
  waits_.fetch_sub(ready.size());
  return ready;
}

bool SemaphoreWatch::has_shared() const {
  return std::any_of(parked_.begin(), parked_.end(),
                     [](const Parked& parked) { return parked.is_shared(); });
}

void SemaphoreWatch::ensure_thread() {
  if (has_thread_) return;
  start_background_thread<&SemaphoreWatch::watch>("conclave-sema", this);
  has_thread_ = true;
}

// A semaphore whose wait ends otherwise lives until the thread has woken.
void SemaphoreWatch::watch() {
  for (;;) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return has_shared(); });
    const uint32_t bell = bell_.load();
    std::vector<Parked> ready = take_over();
    Semaphores semaphores;
    for (const Parked& parked : parked_)
      if (parked.is_shared()) semaphores.push_back(parked.semaphore);
    lock.unlock();
    for (Parked& parked : ready) parked.go_on();
    if (ready.empty()) sleep(semaphores, bell);
  }
}

// Sleeps until the bell or one of the words may have changed.
void SemaphoreWatch::sleep(const Semaphores& semaphores, uint32_t bell) {
  FutexGroup words;
  bool has_all = words.add(bell_, bell);
  for (const Ref<Semaphore>& semaphore : semaphores) has_all &= words.add(semaphore->word(), 0);
  if (!has_all || !words.sleep(kLongestSleepNs)) futex_sleep_shared(bell_, bell, kPollNs);
}

}  // namespace conclave
