// SPDX-License-Identifier: Apache-2.0
// Command buffers: create, finalize, enqueue, copy, queries.
#include "icd/command_buffer.h"

#include <map>
#include <optional>

#include "icd/device_info.h"
#include "icd/index_space.h"
#include "icd/queue_properties.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

constexpr cl_command_buffer_flags_khr kFlags = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR |
                                               CL_COMMAND_BUFFER_MUTABLE_KHR |
                                               CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

// Throws Error{CL_INVALID_VALUE, CL_INVALID_COMMAND_QUEUE}; a null context is that of the first.
CommandBuffer::Queues queues_of(cl_uint count, const cl_command_queue* handles,
                                const Context* context) {
  require(count > 0 && handles, CL_INVALID_VALUE, "no queues");
  CommandBuffer::Queues queues;
  for (cl_uint i = 0; i < count; ++i) {
    CommandQueue& q = queue(handles[i]);
    if (!context) context = &q.context();
    require(&q.context() == context, CL_INVALID_CONTEXT, "queues of different contexts");
    queues.emplace_back(&q);
  }
  return queues;
}

// The queues that replay `buffer` instead of those of its creation: others of their devices. None if
// none are named.
std::optional<CommandBuffer::Queues> other_queues(const CommandBuffer& buffer, cl_uint count,
                                                  const cl_command_queue* handles) {
  require_list(count, handles, CL_INVALID_VALUE, "a number without queues, or the reverse");
  if (!handles) return std::nullopt;
  require(count == buffer.queues().size(), CL_INVALID_VALUE,
          "another number of queues than the command buffer has");
  CommandBuffer::Queues queues = queues_of(count, handles, &buffer.context());
  for (cl_uint i = 0; i < count; ++i)
    require(&queues[i]->device() == &buffer.queues()[i]->device(), CL_INVALID_DEVICE,
            "a queue and that of the command buffer are of different devices");
  return queues;
}

std::vector<cl_command_queue> handles_of(const CommandBuffer::Queues& queues) {
  std::vector<cl_command_queue> handles;
  for (const Ref<CommandQueue>& q : queues) handles.push_back(q->handle());
  return handles;
}

// The launch as it is now, checked for the device of another queue. Its arguments may be unset if
// they could be when it was recorded.
Ref<MutableCommand> launch_again(const MutableCommand& recorded, CommandBuffer& copy,
                                 CommandQueue& queue) {
  const MutableCommand::State& state = recorded.state();
  const IndexSpace& space = state.space;
  const Launch launch = checked_launch(
      queue, *state.kernel, space.dimensions, space.offset.data(), space.global.data(),
      state.has_local_size ? space.local.data() : nullptr, Arguments::kMayBeUnset);
  return recorded.copy_for(copy, queue, launch.code, launch.space);
}

}  // namespace

bool icd::describe_command_buffers(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR:
      return info.value<cl_device_command_buffer_capabilities_khr>(
                 CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR |
                 CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR |
                 CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR),
             true;
    case CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR:
      return info.value<cl_command_queue_properties>(0), true;
    case CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR:
      return info.value<cl_command_queue_properties>(kQueueProperties), true;
    // Its sub-devices go without saying.
    case CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR:
      return info.value<cl_uint>(1), true;
    case CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR:
      return info.value<cl_device_id>(Device::root().handle()), true;
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
    CommandBuffer::Queues known = queues_of(num_queues, queues, nullptr);
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
    return (new CommandBuffer(std::move(known), flags, std::move(requested)))->handle();
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
    const auto others = other_queues(buffer, num_queues, queues);
    auto wait_for = wait_list(buffer.context(), num_events, events);
    hand_out(buffer.enqueue(others ? *others : buffer.queues(), wait_for), out);
  });
}

cl_command_buffer_khr CL_API_CALL clRemapCommandBufferKHR(
    cl_command_buffer_khr handle, cl_bool automatic, cl_uint num_queues,
    const cl_command_queue* queues, cl_uint num_handles, const cl_mutable_command_khr* handles,
    cl_mutable_command_khr* handles_ret, cl_int* code) {
  return create(__func__, code, [&] {
    const CommandBuffer& buffer = command_buffer(handle);
    CommandBuffer::Queues known = queues_of(num_queues, queues, &buffer.context());
    require(automatic || num_queues == buffer.queues().size(), CL_INVALID_VALUE,
            "another number of queues than the command buffer has");
    require_list(num_handles, handles, CL_INVALID_VALUE, "handles and their number disagree");
    require_list(num_handles, handles_ret, CL_INVALID_VALUE,
                 "handles_ret and the number of handles disagree");
    std::map<const MutableCommand*, MutableCommand*> copies;
    for (cl_uint i = 0; i < num_handles; ++i) {
      const MutableCommand* command = MutableCommand::from(handles[i]);
      require(command && &command->buffer() == &buffer, CL_INVALID_VALUE,
              "no command of the command buffer");
      copies[command] = nullptr;
    }
    Ref<CommandBuffer> copy = buffer.copy_for(
        std::move(known),
        [&](const MutableCommand& recorded, CommandBuffer& target, CommandQueue& q) {
          Ref<MutableCommand> made = launch_again(recorded, target, q);
          if (const auto wanted = copies.find(&recorded); wanted != copies.end())
            wanted->second = made.get();
          return made;
        });
    for (cl_uint i = 0; i < num_handles; ++i)
      handles_ret[i] = copies[MutableCommand::from(handles[i])]->handle();
    return copy.detach()->handle();
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
        return info.value<cl_uint>(static_cast<cl_uint>(buffer.queues().size()));
      case CL_COMMAND_BUFFER_QUEUES_KHR:
        return info.list(handles_of(buffer.queues()));
      case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
        return info.value<cl_uint>(buffer.handles());
      case CL_COMMAND_BUFFER_STATE_KHR:
        return info.value<cl_command_buffer_state_khr>(buffer.state());
      case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
        return info.list(buffer.requested_properties());
      case CL_COMMAND_BUFFER_CONTEXT_KHR:
        return info.value<cl_context>(buffer.context().handle());
      default:
        unknown_query(name);
    }
  });
}

}  // namespace conclave::command_buffer_api
