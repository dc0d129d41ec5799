// SPDX-License-Identifier: Apache-2.0
// Recording of commands in command buffers: the checks are those of the clEnqueue* functions.
#include <algorithm>

#include "icd/command_buffer.h"
#include "icd/commands.h"
#include "icd/index_space.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

// The arguments that all clCommand*KHR functions have.
struct Recording {
  cl_command_buffer_khr buffer;
  cl_command_queue queue;
  const cl_properties* properties;
  cl_uint num_sync_points;
  const cl_sync_point_khr* wait_for;
  cl_sync_point_khr* sync_point;

  CommandBuffer& checked_buffer() const {
    CommandBuffer& object = command_buffer(buffer);
    object.require_recording();
    return object;
  }
  // The number of the command's queue.
  size_t checked_queue(const CommandBuffer& object) const {
    const CommandBuffer::Queues& queues = object.queues();
    if (!queue) {
      require(queues.size() == 1, CL_INVALID_COMMAND_QUEUE,
              "the command buffer has several queues: name one");
      return 0;
    }
    CommandQueue& named = any_queue(queue);
    require(&named.context() == &object.context(), CL_INVALID_CONTEXT,
            "the queue and the command buffer are of different contexts");
    const auto found = std::ranges::find_if(
        queues, [&](const Ref<CommandQueue>& known) { return known.get() == &named; });
    require(found != queues.end(), CL_INVALID_COMMAND_QUEUE, "no queue of the command buffer");
    return static_cast<size_t>(found - queues.begin());
  }
  CommandBuffer::SyncPoints sync_points() const {
    require_list(num_sync_points, wait_for, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
                 "a number without sync points, or the reverse");
    return {wait_for, num_sync_points};
  }
  void hand_out(cl_sync_point_khr point) const {
    if (sync_point) *sync_point = point;
  }
};

// A command that nothing can change later. `add(buffer, queue)` records it for that queue and returns
// its sync point.
template <class Add>
cl_int record_fixed(const char* function, const Recording& recording,
                    const cl_mutable_command_khr* handle, Add&& add) {
  return guarded(function, [&] {
    CommandBuffer& buffer = recording.checked_buffer();
    const size_t queue = recording.checked_queue(buffer);
    read_properties(recording.properties, [](cl_properties name, auto) { unknown_property(name); });
    require(!handle, CL_INVALID_VALUE, "a handle of a command that cannot be changed");
    recording.hand_out(add(buffer, queue));
  });
}

// The same for a command on memory: `make(queue)` checks and makes it.
template <class Make>
cl_int record(const char* function, const Recording& recording,
              const cl_mutable_command_khr* handle, Make&& make) {
  return record_fixed(function, recording, handle, [&](CommandBuffer& buffer, size_t queue) {
    auto command = make(*buffer.queues()[queue]);
    return buffer.add(queue, std::move(command), recording.sync_points());
  });
}

// What the host says of a launch that it records.
struct LaunchProperties {
  cl_mutable_dispatch_fields_khr updatable = 0;
  std::vector<cl_properties> list;

  LaunchProperties(const CommandBuffer& buffer, const cl_properties* properties) {
    cl_mutable_dispatch_fields_khr fields = kUpdatableFields;
    list = read_properties(properties, [&](cl_properties name, cl_properties value) {
      switch (name) {
        case CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR:
          require(!(value & ~kUpdatableFields), CL_INVALID_VALUE, "unknown updatable fields");
          fields = value;
          return;
        case CL_MUTABLE_DISPATCH_ASSERTS_KHR:
          return check_asserts(value);
        default:
          unknown_property(name);
      }
    });
    if (buffer.is_mutable()) updatable = fields;
  }
};

}  // namespace

namespace conclave::command_buffer_api {

cl_int CL_API_CALL clCommandBarrierWithWaitListKHR(cl_command_buffer_khr buffer,
                                                   cl_command_queue queue,
                                                   const cl_command_properties_khr* properties,
                                                   cl_uint num_sync_points,
                                                   const cl_sync_point_khr* wait_for,
                                                   cl_sync_point_khr* sync_point,
                                                   cl_mutable_command_khr* mutable_handle) {
  const Recording recording{buffer, queue, properties, num_sync_points, wait_for, sync_point};
  return record_fixed(__func__, recording, mutable_handle,
                      [&](CommandBuffer& target, size_t number) {
                        return target.add_barrier(number, recording.sync_points());
                      });
}

cl_int CL_API_CALL clCommandCopyBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr* properties, cl_mem from,
                                          cl_mem to, size_t from_offset, size_t to_offset,
                                          size_t size, cl_uint num_sync_points,
                                          const cl_sync_point_khr* wait_for,
                                          cl_sync_point_khr* sync_point,
                                          cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle, [&](const CommandQueue& q) {
                  return copy_buffer(q, from, to, from_offset, to_offset, size);
                });
}

cl_int CL_API_CALL clCommandCopyBufferRectKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue,
    const cl_command_properties_khr* properties, cl_mem from, cl_mem to, const size_t* from_origin,
    const size_t* to_origin, const size_t* region, size_t from_row_pitch, size_t from_slice_pitch,
    size_t to_row_pitch, size_t to_slice_pitch, cl_uint num_sync_points,
    const cl_sync_point_khr* wait_for, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle, [&](const CommandQueue& q) {
                  return copy_buffer_rect(q, from, to, from_origin, to_origin, region,
                                          from_row_pitch, from_slice_pitch, to_row_pitch,
                                          to_slice_pitch);
                });
}

cl_int CL_API_CALL clCommandCopyBufferToImageKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue,
    const cl_command_properties_khr* properties, cl_mem from, cl_mem to, size_t offset,
    const size_t* origin, const size_t* region, cl_uint num_sync_points,
    const cl_sync_point_khr* wait_for, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle, [&](const CommandQueue& q) {
                  return copy_buffer_to_image(q, from, to, offset, origin, region);
                });
}

cl_int CL_API_CALL clCommandCopyImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr* properties, cl_mem from,
                                         cl_mem to, const size_t* from_origin,
                                         const size_t* to_origin, const size_t* region,
                                         cl_uint num_sync_points, const cl_sync_point_khr* wait_for,
                                         cl_sync_point_khr* sync_point,
                                         cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle, [&](const CommandQueue& q) {
                  return copy_image(q, from, to, from_origin, to_origin, region);
                });
}

cl_int CL_API_CALL clCommandCopyImageToBufferKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue,
    const cl_command_properties_khr* properties, cl_mem from, cl_mem to, const size_t* origin,
    const size_t* region, size_t offset, cl_uint num_sync_points, const cl_sync_point_khr* wait_for,
    cl_sync_point_khr* sync_point, cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle, [&](const CommandQueue& q) {
                  return copy_image_to_buffer(q, from, to, origin, region, offset);
                });
}

cl_int CL_API_CALL clCommandFillBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr* properties,
                                          cl_mem memory, const void* pattern, size_t pattern_size,
                                          size_t offset, size_t size, cl_uint num_sync_points,
                                          const cl_sync_point_khr* wait_for,
                                          cl_sync_point_khr* sync_point,
                                          cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle, [&](const CommandQueue& q) {
                  return fill_buffer(q, memory, pattern, pattern_size, offset, size);
                });
}

cl_int CL_API_CALL clCommandFillImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr* properties, cl_mem image,
                                         const void* color, const size_t* origin,
                                         const size_t* region, cl_uint num_sync_points,
                                         const cl_sync_point_khr* wait_for,
                                         cl_sync_point_khr* sync_point,
                                         cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle,
                [&](const CommandQueue& q) { return fill_image(q, image, color, origin, region); });
}

cl_int CL_API_CALL clCommandSVMMemcpyKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr* properties, void* to,
                                         const void* from, size_t size, cl_uint num_sync_points,
                                         const cl_sync_point_khr* wait_for,
                                         cl_sync_point_khr* sync_point,
                                         cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle, [&](const CommandQueue&) { return copy_address(to, from, size); });
}

cl_int CL_API_CALL clCommandSVMMemFillKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr* properties, void* to,
                                          const void* pattern, size_t pattern_size, size_t size,
                                          cl_uint num_sync_points,
                                          const cl_sync_point_khr* wait_for,
                                          cl_sync_point_khr* sync_point,
                                          cl_mutable_command_khr* mutable_handle) {
  return record(__func__, {buffer, queue, properties, num_sync_points, wait_for, sync_point},
                mutable_handle,
                [&](const CommandQueue&) { return fill_address(to, pattern, pattern_size, size); });
}

cl_int CL_API_CALL clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const cl_command_properties_khr* properties,
                                             cl_kernel handle, cl_uint dimensions,
                                             const size_t* offset, const size_t* global,
                                             const size_t* local, cl_uint num_sync_points,
                                             const cl_sync_point_khr* wait_for,
                                             cl_sync_point_khr* sync_point,
                                             cl_mutable_command_khr* mutable_handle) {
  const Recording recording{buffer, queue, properties, num_sync_points, wait_for, sync_point};
  return guarded(__func__, [&] {
    CommandBuffer& target = recording.checked_buffer();
    const size_t number = recording.checked_queue(target);
    CommandQueue& q = *target.queues()[number];
    Kernel& k = kernel(handle);
    LaunchProperties said(target, properties);
    const bool updates_arguments = said.updatable & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
    const Launch launch =
        checked_launch(q, k, dimensions, offset, global, local,
                       updates_arguments ? Arguments::kMayBeUnset : Arguments::kSet);
    auto command = Ref<MutableCommand>::adopt(new MutableCommand(
        target, q, k, launch.code,
        {.kernel = MutableCommand::snapshot(k), .space = launch.space, .has_local_size = !!local},
        said.updatable, std::move(said.list)));
    recording.hand_out(target.add(number, command, recording.sync_points()));
    if (mutable_handle) *mutable_handle = command->handle();
  });
}

}  // namespace conclave::command_buffer_api
