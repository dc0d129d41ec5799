// SPDX-License-Identifier: Apache-2.0
// Events.
#include "icd/entry.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

Event::Time profiling_time(cl_profiling_info name) {
  switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
      return Event::kQueued;
    case CL_PROFILING_COMMAND_SUBMIT:
      return Event::kSubmitted;
    case CL_PROFILING_COMMAND_START:
      return Event::kStarted;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:  // no command has children on the device
      return Event::kEnded;
    default:
      unknown_query(name);
  }
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context handle, cl_int* code) {
  return create(__func__, code, [&] { return (new Event(context(handle)))->handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event handle, cl_int status) {
  return guarded(__func__, [&] {
    Event& e = event(handle);
    require(e.is_user_event(), CL_INVALID_EVENT, "not a user event");
    require(status <= CL_COMPLETE, CL_INVALID_VALUE, "neither CL_COMPLETE nor negative");
    require(e.complete(status), CL_INVALID_OPERATION, "the status has been set before");
  });
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* list) {
  return guarded(__func__, [&] {
    require(count > 0 && list, CL_INVALID_VALUE, "no events to wait for");
    for (cl_uint i = 0; i < count; ++i)
      require(&event(list[i]).context() == &event(list[0]).context(), CL_INVALID_CONTEXT,
              "the events are of different contexts");
    bool failed = false;
    for (cl_uint i = 0; i < count; ++i) {
      Event& e = event(list[i]);
      require_own_process();
      if (e.queue())
        e.queue()->wait(e);
      else
        e.sleep_until_finished();
      failed |= e.status() < 0;
    }
    require(!failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event ended with an error");
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainEvent(cl_event handle) {
  return guarded(__func__, [&] { event(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event handle) {
  return guarded(__func__, [&] { release(event(handle), CL_INVALID_EVENT); });
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event handle, cl_event_info name, size_t size,
                                               void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    Event& e = event(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_EVENT_COMMAND_QUEUE:
        return info.value<cl_command_queue>(e.queue() && !e.spans_queues() ? e.queue()->handle()
                                                                           : nullptr);
      case CL_EVENT_CONTEXT:
        return info.value<cl_context>(e.context().handle());
      case CL_EVENT_COMMAND_TYPE:
        return info.value<cl_command_type>(e.type());
      case CL_EVENT_COMMAND_EXECUTION_STATUS:
        // A host that polls has a right to see progress without a flush.
        if (e.queue() && !e.finished()) e.queue()->flush();
        return info.value<cl_int>(e.status());
      case CL_EVENT_REFERENCE_COUNT:
        return info.value<cl_uint>(e.handles());
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event handle, cl_profiling_info name,
                                                        size_t size, void* value,
                                                        size_t* size_ret) {
  return guarded(__func__, [&] {
    Event& e = event(handle);
    Event::Time which = profiling_time(name);
    require(e.profiling() && e.status() == CL_COMPLETE, CL_PROFILING_INFO_NOT_AVAILABLE,
            "the queue does not profile, or the command is not complete");
    Info(size, value, size_ret).value<cl_ulong>(e.time(which));
  });
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event handle, cl_int when,
                                                   Event::Callback function, void* user_data) {
  return guarded(__func__, [&] {
    Event& e = event(handle);
    require(function, CL_INVALID_VALUE, "no callback");
    require(when == CL_COMPLETE || when == CL_RUNNING || when == CL_SUBMITTED, CL_INVALID_VALUE,
            "not a status to wait for");
    e.add_callback(when, function, user_data);
    // The host may wait for nothing but this callback.
    if (e.queue() && !e.finished()) e.queue()->flush();
  });
}

}  // extern "C"
