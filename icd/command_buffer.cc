// SPDX-License-Identifier: Apache-2.0
// Command buffers: create, finalize, enqueue, queries.
#include "icd/command_buffer.h"

#include "icd/device_info.h"
#include "icd/queue_properties.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

constexpr cl_command_buffer_flags_khr kFlags =
    CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;

// The queue that replays `buffer`: that of its creation, or another one of its device.
CommandQueue& replaying_queue(const CommandBuffer& buffer, cl_uint count,
                              const cl_command_queue* queues) {
  require_list(count, queues, CL_INVALID_VALUE, "a number without queues, or the reverse");
  if (!queues) return buffer.queue();
  require(count == 1, CL_INVALID_VALUE, "the command buffer has one queue");
  CommandQueue& q = queue(queues[0]);
  require(&q.context() == &buffer.queue().context(), CL_INVALID_CONTEXT,
          "the queue and the command buffer are of different contexts");
  require(&q.device() == &buffer.queue().device(), CL_INVALID_DEVICE,
          "the queue and the command buffer are of different devices");
  return q;
}

}  // namespace

bool icd::describe_command_buffers(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR:
      return info.value<cl_device_command_buffer_capabilities_khr>(
                 CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
                 CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR),
             true;
    case CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR:
      return info.value<cl_command_queue_properties>(0), true;
    case CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR:
      return info.value<cl_command_queue_properties>(kQueueProperties), true;
    case CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR:
      return info.value<cl_mutable_dispatch_fields_khr>(kUpdatableFields), true;
    default:
      return false;
  }
}

namespace conclave::command_buffer_api {

cl_command_buffer_khr CL_API_CALL
clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue* queues,
                         const cl_command_buffer_properties_khr* properties, cl_int* code) {
  return create(__func__, code, [&] {
    require(num_queues == 1 && queues, CL_INVALID_VALUE, "a command buffer has one queue");
    CommandQueue& q = queue(queues[0]);
    cl_command_buffer_flags_khr flags = 0;
    auto requested = read_properties(properties, [&](cl_properties name, cl_properties value) {
      switch (name) {
        case CL_COMMAND_BUFFER_FLAGS_KHR:
          require(!(value & ~kFlags), CL_INVALID_VALUE, "unknown flags");
          flags = value;
          return;
        case CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR:
          return check_asserts(value);
        default:
          unknown_property(name);
      }
    });
    return (new CommandBuffer(q, flags, std::move(requested)))->handle();
  });
}

cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr handle) {
  return guarded(__func__, [&] { any_command_buffer(handle).retain_handle(); });
}

cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr handle) {
  return guarded(__func__,
                 [&] { release(any_command_buffer(handle), CL_INVALID_COMMAND_BUFFER_KHR); });
}

cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr handle) {
  return guarded(__func__, [&] { command_buffer(handle).finalize(); });
}

cl_int CL_API_CALL clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue* queues,
                                             cl_command_buffer_khr handle, cl_uint num_events,
                                             const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    const CommandBuffer& buffer = command_buffer(handle);
    CommandQueue& q = replaying_queue(buffer, num_queues, queues);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(buffer.enqueue(q, wait_for), out);
  });
}

cl_int CL_API_CALL clGetCommandBufferInfoKHR(cl_command_buffer_khr handle,
                                             cl_command_buffer_info_khr name, size_t size,
                                             void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const CommandBuffer& buffer = any_command_buffer(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_COMMAND_BUFFER_NUM_QUEUES_KHR:
        return info.value<cl_uint>(1);
      case CL_COMMAND_BUFFER_QUEUES_KHR:
        return info.value<cl_command_queue>(buffer.queue().handle());
      case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
        return info.value<cl_uint>(buffer.handles());
      case CL_COMMAND_BUFFER_STATE_KHR:
        return info.value<cl_command_buffer_state_khr>(buffer.state());
      case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
        return info.list(buffer.requested_properties());
      case CL_COMMAND_BUFFER_CONTEXT_KHR:
        return info.value<cl_context>(buffer.queue().context().handle());
      default:
        unknown_query(name);
    }
  });
}

}  // namespace conclave::command_buffer_api
