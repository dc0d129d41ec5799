// SPDX-License-Identifier: Apache-2.0
// The watchdog of call_registry.h: the thread that makes others leave calls and stop.
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "CL/cl_ext_conclave.h"
#include "platform/base/background_thread.h"
#include "platform/base/clock.h"
#include "platform/base/log.h"
#include "platform/loader/call_registry.h"

namespace conclave {
namespace {

// How often a thread that must leave is reminded, and how long the watchdog stays if calls with
// time limits follow one another.
constexpr uint64_t kRetryNs = 1'000'000;
constexpr uint64_t kLingerNs = 100'000'000;

}  // namespace

// False if there can be no watchdog.
bool CallRegistry::watch_until(uint64_t time_ns) {
  if (watching_) {
    if (time_ns < wake_ns_) changed_.notify_one();
    return true;
  }
  try {
    start_background_thread<&CallRegistry::watch>("conclave-limit", this);
    watching_ = true;
  } catch (const std::exception& error) {
    log::error(std::string_view("no thread to watch kernels with"));
  }
  return watching_;
}

void CallRegistry::watch() {
  std::unique_lock lock(mutex_);
  for (uint64_t idle_since = 0;;) {
    const uint64_t now = now_ns();
    wake_ns_ = std::min(look_at_calls(now), look_at_teams(now));
    if (wake_ns_ != UINT64_MAX) idle_since = now;
    if (now - idle_since >= kLingerNs) break;
    const uint64_t until = std::min(wake_ns_, now + kLingerNs);
    changed_.wait_for(lock, std::chrono::nanoseconds(until > now ? until - now : 0));
  }
  watching_ = false;
}

// Makes a thread look, unless a signal is already on its way.
void CallRegistry::remind(pthread_t thread, std::atomic<bool>& reminded) const {
  if (!reminded.exchange(true) && pthread_kill(thread, signal_) != 0) reminded.store(false);
}

// These two return when to look again.
uint64_t CallRegistry::look_at_calls(uint64_t now) {
  uint64_t next = UINT64_MAX;
  for (CallingThread* thread : threads_) {
    const uint64_t deadline = thread->deadline_ns;
    LaunchCalls* launch = deadline ? thread->launch.load() : nullptr;
    if (launch && now >= deadline) want(*launch, {CL_ERROR_KERNEL_TIMEOUT_TI});
    if (launch && now < deadline) next = std::min(next, deadline);
  }
  for (CallingThread* thread : threads_) {
    if (!thread->is_to_leave()) continue;
    if (now - thread->wanted_at_ns >= kGraceNs) thread->forced.store(true);
    remind(thread->thread, thread->reminded);
    next = std::min(next, now + kRetryNs);
  }
  return next;
}

uint64_t CallRegistry::look_at_teams(uint64_t now) {
  uint64_t next = UINT64_MAX;
  for (TeamThreads* team : stopping_)
    for (TeamThreads::Member* member : team->members) {
      if (member->stopped.load()) continue;
      remind(member->thread, member->reminded);
      next = now + kRetryNs;
    }
  if (next == UINT64_MAX) stopping_.clear();
  return next;
}

}  // namespace conclave
