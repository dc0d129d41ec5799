// SPDX-License-Identifier: Apache-2.0
// The end of a context before its commands have ended (cl_khr_terminate_context). Only contexts that
// were created for it have one, and pay for it.
#ifndef CONCLAVE_PLATFORM_MODEL_TERMINATION_H_
#define CONCLAVE_PLATFORM_MODEL_TERMINATION_H_

#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "platform/base/object.h"

namespace conclave {

class Event;

class Termination {
 public:
  // Called by each event at its beginning, and by its end at the latest before its command goes.
  void add(Event& event);
  void remove(Event& event);

  bool is_done() const { return done_.load(); }

  // Makes all commands end with CL_CONTEXT_TERMINATED_KHR: those that run are left, those that wait
  // do not begin, whatever they wait for. Commands that become ready later see is_done(). Throws
  // Error{CL_CONTEXT_TERMINATED_KHR} if it has been called before.
  void run();

 private:
  std::vector<Ref<Event>> stop_all();

  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::set<Event*> events_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_TERMINATION_H_
