// SPDX-License-Identifier: Apache-2.0
// Markers and barriers, and their forms of OpenCL 1.0.
#include "icd/entry.h"

using namespace conclave;
using namespace conclave::icd;

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue handle,
                                                            cl_uint num_events,
                                                            const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(handle);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_MARKER, nullptr, wait_for, CommandQueue::Ordering::kMarker), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue handle,
                                                             cl_uint num_events,
                                                             const cl_event* events,
                                                             cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(handle);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_BARRIER, nullptr, wait_for, CommandQueue::Ordering::kBarrier),
             out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMarker(cl_command_queue handle, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(handle);
    require(out, CL_INVALID_VALUE, "nowhere to put the event");
    hand_out(q.enqueue(CL_COMMAND_MARKER, nullptr, {}, CommandQueue::Ordering::kMarker), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue handle) {
  return clEnqueueBarrierWithWaitList(handle, 0, nullptr, nullptr);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue handle, cl_uint num_events,
                                                       const cl_event* events) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(handle);
    require(num_events > 0 && events, CL_INVALID_VALUE, "no events");
    std::vector<Ref<Event>> wait_for;
    for (cl_uint i = 0; i < num_events; ++i) {
      Event* e = Event::from(events[i]);
      require(e, CL_INVALID_EVENT, "not an event, or released");
      require(&e->context() == &q.context(), CL_INVALID_CONTEXT, "an event of another context");
      wait_for.emplace_back(e);
    }
    q.wait_for(wait_for);
  });
}

}  // extern "C"
