// SPDX-License-Identifier: Apache-2.0
// The calls that may be left and run now, and the watchdog: a thread that is there while one of
// them has a time limit, or somebody is to leave or to stop and has not done so yet.
#ifndef CONCLAVE_PLATFORM_LOADER_CALL_REGISTRY_H_
#define CONCLAVE_PLATFORM_LOADER_CALL_REGISTRY_H_

#include <condition_variable>
#include <mutex>
#include <vector>

#include "platform/loader/kernel_calls.h"

namespace conclave {

// A call, on its thread's stack.
class KernelCall {
 public:
  explicit KernelCall(const kernel_calls::Site& call_site) : site(call_site) {}

  const kernel_calls::Site& site;
  void* place[5];  // of __builtin_setjmp
  const pthread_t thread = pthread_self();
  KernelCall* outer = nullptr;
  // Guarded by the registry.
  uint64_t deadline_ns = 0;  // 0: none
  uint64_t wanted_at_ns = 0;
  Departure departure;
  // For the thread's signal handler: whether the call is to be left, and wherever the thread is.
  std::atomic<bool> wanted{false};
  std::atomic<bool> forced{false};
  // A signal is on its way to the thread; a second one would only take up room in the queue.
  std::atomic<bool> reminded{false};
};

class CallRegistry {
 public:
  static CallRegistry& get();

  // `signal` makes a thread look whether it is to leave or to stop.
  void start(int signal) { signal_ = signal; }

  // False where the call's launch has been left.
  bool add(KernelCall& call);
  void remove(KernelCall& call);
  // The call ends by itself, with this or what was wanted of it before; the others of its launch
  // are to follow.
  void depart(KernelCall& call, const Departure& departure);
  // The same where one of the team's threads says so.
  void depart(TeamThreads& team, const Departure& departure);
  // The thread may have been another team's before.
  void add_member(TeamThreads& team, TeamThreads::Member& member);
  void stop(TeamThreads& team);

 private:
  void want(LaunchCalls& launch, const Departure& departure);
  void watch_until(uint64_t time_ns);
  void watch();
  void remind(pthread_t thread, std::atomic<bool>& reminded) const;
  uint64_t look_at_calls(uint64_t now);
  uint64_t look_at_teams(uint64_t now);

  int signal_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<KernelCall*> calls_;
  std::vector<TeamThreads*> stopping_;
  bool watching_ = false;
  uint64_t wake_ns_ = UINT64_MAX;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_CALL_REGISTRY_H_
