// SPDX-License-Identifier: Apache-2.0
#include "icd/entry.h"

#include "platform/exec/engine.h"

namespace conclave::icd {

void report(const char* function, cl_int code, const char* what) noexcept {
  try {
    std::string text = std::string(function) + ": error " + std::to_string(code) + ": " + what;
    if (log::debug_enabled()) log::debug(text);
    if (current_context) current_context->report(text.c_str());
  } catch (...) {  // no memory for the message: the code must do
  }
}

void require_own_process() {
  require(!Engine::lost_in_fork(), CL_OUT_OF_RESOURCES,
          "this process was forked after its parent had used the device; only a child that calls "
          "exec, or is forked before the first use, can use it");
}

const KernelCode& code_for_query(const Kernel& kernel, cl_device_id handle) {
  if (!handle) {
    require(kernel.codes().size() == 1, CL_INVALID_DEVICE,
            "the kernel has several devices: name one");
    return *kernel.codes().front();
  }
  const auto* code = kernel.code_for(device(handle));
  require(code, CL_INVALID_DEVICE, "the kernel is not built for the device");
  return **code;
}

std::vector<Ref<Event>> checked_wait_list(const Context& context, cl_uint count,
                                          const cl_event* list) {
  require_list(count, list, CL_INVALID_EVENT_WAIT_LIST,
               "event_wait_list and num_events_in_wait_list do not agree");
  std::vector<Ref<Event>> events;
  events.reserve(count);
  for (cl_uint i = 0; i < count; ++i) {
    Event* event = Event::from(list[i]);
    require(event, CL_INVALID_EVENT_WAIT_LIST, "the wait list holds something that is no event");
    require(&event->context() == &context, CL_INVALID_CONTEXT,
            "the wait list holds an event of another context");
    events.emplace_back(event);
  }
  return events;
}

void wait_blocking(CommandQueue& queue, Ref<Event> event, cl_event* out) {
  queue.wait(*event);
  cl_int status = event->status();
  hand_out(std::move(event), out);
  if (status < 0) throw Error(status, "the blocking command ended with an error");
}

}  // namespace conclave::icd
