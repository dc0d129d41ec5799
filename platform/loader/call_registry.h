// SPDX-License-Identifier: Apache-2.0
// The threads that call kernel code, and the watchdog. The watchdog is a thread that exists while a
// call has a time limit, or while a thread that must leave or stop has not done so yet.
#ifndef CONCLAVE_PLATFORM_LOADER_CALL_REGISTRY_H_
#define CONCLAVE_PLATFORM_LOADER_CALL_REGISTRY_H_

#include <condition_variable>
#include <mutex>
#include <vector>

#include "platform/base/process_fence.h"
#include "platform/loader/kernel_calls.h"

namespace conclave {

// A call, on its thread's stack.
class KernelCall {
 public:
  KernelCall(const kernel_calls::Site& call_site, KernelCall* outer_call, KernelFault& its_fault)
      : site(call_site), outer(outer_call), fault(its_fault) {}

  const kernel_calls::Site& site;
  KernelCall* const outer;          // the call that the thread was in; null: none
  void* sanitizer_fiber = nullptr;  // on which the call began
  void* place[5];                   // of __builtin_setjmp
  KernelFault& fault;               // the fault that ended it; the thread owns it
};

// A thread that calls kernel code, as others see it. A call costs no lock and no fence: the thread
// counts the call, names its launch, and then checks whether the launch has been left. A thread
// that leaves a launch says so, makes all threads pass a fence, and then looks at them.
struct CallingThread {
  pthread_t thread = {};
  // The present call. Written by the thread.
  std::atomic<uint64_t> number{0};
  std::atomic<LaunchCalls*> launch{nullptr};  // null: there is none
  // For the thread's signal handler: the number of the call that must be left, and whether it must
  // be left wherever the thread is. The registry writes it.
  std::atomic<uint64_t> wanted{0};
  std::atomic<bool> forced{false};
  // A signal is on its way to the thread; a second one would only take up room in the queue.
  std::atomic<bool> reminded{false};
  // Guarded by the registry.
  uint64_t wanted_at_ns = 0;
  uint64_t deadline_ns = 0;  // of the present call; 0: none

  void begin(LaunchCalls& of) {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    launch.store(&of, std::memory_order_release);
    light_fence();
  }
  void end() { launch.store(nullptr, std::memory_order_release); }
  bool is_to_leave() const { return wanted.load() == number.load() && launch.load(); }
};

class CallRegistry {
 public:
  static CallRegistry& get();

  // `signal` makes a thread look whether it must leave or stop.
  void start(int signal) { signal_ = signal; }

  void add(CallingThread& thread);
  void remove(CallingThread& thread);

  // Leaves all calls of the launch with `departure`, unless the launch has been left before.
  void depart(LaunchCalls& launch, const Departure& departure);
  // The same at the request of one of a team's threads; `fault`: the fault it had.
  void depart(TeamThreads& team, const Departure& departure, const KernelFault& fault = {});
  // How the launch was left.
  Departure departure_of(LaunchCalls& launch);

  // Leaves the thread's present call at that time. False if nobody can do that.
  bool limit(CallingThread& thread, uint64_t deadline_ns);
  // From here on the watchdog does not touch the launch of the thread's last call.
  void end_limit(CallingThread& thread);

  // The call of a team's master; null: it has ended.
  void set_call(TeamThreads& team, KernelCall* call);
  // The thread may have been in another team before.
  void add_member(TeamThreads& team, TeamThreads::Member& member);
  void stop(TeamThreads& team);

 private:
  void want(LaunchCalls& launch, const Departure& departure);

  // The watchdog (watchdog.cc).
  bool watch_until(uint64_t time_ns);
  void watch();
  void remind(pthread_t thread, std::atomic<bool>& reminded) const;
  uint64_t look_at_calls(uint64_t now);
  uint64_t look_at_teams(uint64_t now);

  int signal_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CallingThread*> threads_;
  std::vector<TeamThreads*> stopping_;
  bool watching_ = false;
  uint64_t wake_ns_ = UINT64_MAX;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_CALL_REGISTRY_H_
