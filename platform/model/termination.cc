// SPDX-License-Identifier: Apache-2.0
#include "platform/model/termination.h"

#include <CL/cl_ext.h>

#include "platform/base/error.h"
#include "platform/exec/engine.h"
#include "platform/exec/execution.h"
#include "platform/exec/semaphore_watch.h"
#include "platform/model/event.h"

namespace conclave {

void Termination::add(Event& event) {
  std::lock_guard lock(mutex_);
  events_.insert(&event);
}

void Termination::remove(Event& event) {
  std::lock_guard lock(mutex_);
  events_.erase(&event);
}

// Under the lock the commands cannot go. No command may end under it.
std::vector<Ref<Event>> Termination::stop_all() {
  std::vector<Ref<Event>> events;
  std::lock_guard lock(mutex_);
  events.reserve(events_.size());
  for (Event* event : events_) {
    if (!event->retain_if_alive()) continue;
    events.push_back(Ref<Event>::adopt(event));
    if (event->is_user_event()) continue;
    Command* command = event->command();
    if (!command || !command->cancel()) execution::fail(*event, execution::context_terminated());
  }
  return events;
}

void Termination::run() {
  require(!done_.exchange(true), CL_CONTEXT_TERMINATED_KHR,
          "the context has been terminated before");
  const std::vector<Ref<Event>> events = stop_all();
  for (const Ref<Event>& event : events)
    if (!event->is_user_event()) Engine::get().terminate(*event);
  SemaphoreWatch::get().look();  // waits for semaphores are over
  // The host may set their status later, or never.
  for (const Ref<Event>& event : events)
    if (event->is_user_event()) event->let_go();
}

}  // namespace conclave
