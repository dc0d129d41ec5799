// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/call_registry.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "CL/cl_ext_conclave.h"
#include "platform/base/clock.h"

namespace conclave {
namespace {

// How often who is to leave is reminded, and how long the watchdog stays where calls with time
// limits come one after the other.
constexpr uint64_t kRetryNs = 1'000'000;
constexpr uint64_t kLingerNs = 100'000'000;

}  // namespace

CallRegistry& CallRegistry::get() {
  static auto* registry = new CallRegistry;  // outlives every static object of the host
  return *registry;
}

bool CallRegistry::add(KernelCall& call) {
  const std::lock_guard lock(mutex_);
  call.departure = call.site.launch->departure;
  if (call.departure) return false;
  calls_.push_back(&call);
  if (call.site.team) call.site.team->call = &call;
  if (!call.site.limit_ns) return true;
  call.deadline_ns = now_ns() + call.site.limit_ns;
  watch_until(call.deadline_ns);
  return true;
}

void CallRegistry::remove(KernelCall& call) {
  const std::lock_guard lock(mutex_);
  std::erase(calls_, &call);
  if (call.site.team) call.site.team->call = nullptr;
}

void CallRegistry::depart(KernelCall& call, const Departure& departure) {
  const std::lock_guard lock(mutex_);
  want(*call.site.launch, departure);
  call.departure.fault = departure.fault;
}

void CallRegistry::depart(TeamThreads& team, const Departure& departure) {
  const std::lock_guard lock(mutex_);
  if (!team.call) return;
  want(*team.call->site.launch, departure);
  team.call->departure.fault = departure.fault;
}

void CallRegistry::add_member(TeamThreads& team, TeamThreads::Member& member) {
  const std::lock_guard lock(mutex_);
  if (TeamThreads* before = member.team.exchange(&team)) std::erase(before->members, &member);
  team.members.push_back(&member);
}

void CallRegistry::stop(TeamThreads& team) {
  const std::lock_guard lock(mutex_);
  team.stopped_at_ns.store(now_ns());
  stopping_.push_back(&team);
  watch_until(now_ns());
}

void CallRegistry::want(LaunchCalls& launch, const Departure& departure) {
  if (launch.departure) return;
  launch.departure = {departure.status, departure.exit_code};
  const uint64_t now = now_ns();
  for (KernelCall* call : calls_) {
    if (call->site.launch != &launch) continue;
    call->departure = launch.departure;
    call->wanted_at_ns = now;
    call->wanted.store(true);
  }
  watch_until(now);
}

void CallRegistry::watch_until(uint64_t time_ns) {
  if (watching_) {
    if (time_ns < wake_ns_) changed_.notify_one();
    return;
  }
  watching_ = true;
  // The host's signals are for the host's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { watch(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void CallRegistry::watch() {
  pthread_setname_np(pthread_self(), "conclave-limit");
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

// Makes a thread look, unless a signal is on its way already.
void CallRegistry::remind(pthread_t thread, std::atomic<bool>& reminded) const {
  if (!reminded.exchange(true) && pthread_kill(thread, signal_) != 0) reminded.store(false);
}

// Both return when to look again.
uint64_t CallRegistry::look_at_calls(uint64_t now) {
  for (const KernelCall* call : calls_)
    if (call->deadline_ns && now >= call->deadline_ns && !call->wanted.load())
      want(*call->site.launch, {CL_ERROR_KERNEL_TIMEOUT_TI});
  uint64_t next = UINT64_MAX;
  for (KernelCall* call : calls_) {
    if (call->wanted.load()) {
      if (now - call->wanted_at_ns >= kGraceNs) call->forced.store(true);
      remind(call->thread, call->reminded);
      next = std::min(next, now + kRetryNs);
    } else if (call->deadline_ns) {
      next = std::min(next, call->deadline_ns);
    }
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
