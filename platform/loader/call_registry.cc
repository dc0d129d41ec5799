// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/call_registry.h"

#include <signal.h>

#include <algorithm>

#include "platform/base/clock.h"
#include "platform/base/process_fence.h"

namespace conclave {

CallRegistry& CallRegistry::get() {
  static auto* registry = new CallRegistry;  // outlives every static object of the host
  return *registry;
}

void CallRegistry::add(CallingThread& thread) {
  const std::lock_guard lock(mutex_);
  thread.thread = pthread_self();
  threads_.push_back(&thread);
}

void CallRegistry::remove(CallingThread& thread) {
  const std::lock_guard lock(mutex_);
  std::erase(threads_, &thread);
}

void CallRegistry::depart(LaunchCalls& launch, const Departure& departure) {
  const std::lock_guard lock(mutex_);
  want(launch, departure);
}

void CallRegistry::depart(TeamThreads& team, const Departure& departure, const KernelFault& fault) {
  const std::lock_guard lock(mutex_);
  if (!team.call) return;
  if (fault.signal) team.call->fault = fault;
  want(team.call->site.launch, departure);
}

Departure CallRegistry::departure_of(LaunchCalls& launch) {
  const std::lock_guard lock(mutex_);
  return launch.departure;
}

bool CallRegistry::limit(CallingThread& thread, uint64_t deadline_ns) {
  const std::lock_guard lock(mutex_);
  if (!watch_until(deadline_ns)) return false;
  thread.deadline_ns = deadline_ns;
  return true;
}

void CallRegistry::end_limit(CallingThread& thread) {
  const std::lock_guard lock(mutex_);
  thread.deadline_ns = 0;
}

void CallRegistry::set_call(TeamThreads& team, KernelCall* call) {
  const std::lock_guard lock(mutex_);
  team.call = call;
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
  if (launch.left.load()) return;
  launch.departure = departure;
  launch.left.store(true);
  // A processor whose thread has not seen that yet shows us what its thread stored before it
  // looked.
  process_fence();
  const uint64_t now = now_ns();
  for (CallingThread* thread : threads_) {
    // A thread counts a call before it names the launch. If the number is the same before and after
    // the look at the launch, that is the launch of the call of this number.
    const uint64_t number = thread->number.load();
    if (thread->launch.load() != &launch || thread->number.load() != number) continue;
    thread->wanted_at_ns = now;
    thread->forced.store(false);
    thread->wanted.store(number);
  }
  if (!watch_until(now)) look_at_calls(now);
}

}  // namespace conclave
