// SPDX-License-Identifier: Apache-2.0
#include "icd/external_memory.h"

#include <CL/cl_ext_conclave.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "icd/device_info.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

SharedStorage import(int descriptor) {
  try {
    return SharedStorage::import(descriptor);
  } catch (const Error& error) {
    throw Error(CL_INVALID_PROPERTY, error.text());
  }
}

// Checks that `memory` was made from a descriptor, for the queue's device.
void check_external(const CommandQueue& q, Memory& memory) {
  const MemoryProperties properties = known_properties(memory.properties());
  require(properties.descriptor.has_value(), CL_INVALID_MEM_OBJECT,
          "the memory object was not created from an external handle");
  require(memory.context().has(q.device()), CL_INVALID_COMMAND_QUEUE,
          "the memory object's context does not have the queue's device");
  if (!properties.devices) return;
  const auto is_it = [&](cl_device_id handle) {
    const Device* d = Device::from(handle);
    return d && q.device().is_within(*d);
  };
  require(std::any_of(properties.devices->begin(), properties.devices->end(), is_it),
          CL_INVALID_COMMAND_QUEUE, "the memory object is not for the queue's device");
}

// Host and device see the same bytes at any time, so the commands only keep the order.
cl_int hand_over(const char* function, cl_command_type type, cl_command_queue handle, cl_uint count,
                 const cl_mem* memories, cl_uint num_events, const cl_event* events,
                 cl_event* out) {
  return guarded(function, [&] {
    CommandQueue& q = queue(handle);
    require_list(count, memories, CL_INVALID_VALUE, "a number without objects, or the reverse");
    for (cl_uint i = 0; i < count; ++i) check_external(q, memory(memories[i]));
    auto wait_for = wait_list(q.context(), num_events, events);
    require(std::none_of(wait_for.begin(), wait_for.end(),
                         [](const Ref<Event>& event) { return event->status() < 0; }),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the wait list has failed");
    hand_out(q.enqueue(type, nullptr, wait_for), out);
  });
}

}  // namespace

bool icd::describe_external_memory(cl_uint name, const Info& info) {
  switch (name) {
    case CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
    case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR:
    case CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR:
      return info.value<cl_external_memory_handle_type_khr>(
                 CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR),
             true;
    default:
      return false;
  }
}

void icd::check_devices(const Context& context, const MemoryProperties& properties) {
  if (!properties.devices) return;
  require(properties.descriptor.has_value(), CL_INVALID_PROPERTY,
          "CL_MEM_DEVICE_HANDLE_LIST_KHR without an external handle");
  for (cl_device_id handle : *properties.devices)
    require(context.has(device(handle)), CL_INVALID_DEVICE, "a device that is not in the context");
}

cl_mem icd::make_external(const Context& context, const MemoryProperties& properties,
                          cl_mem_flags flags, const void* host,
                          const std::function<cl_mem(SharedStorage)>& make) {
  constexpr cl_mem_flags kOtherMemory = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
                                        CL_MEM_COPY_HOST_PTR | CL_MEM_USE_MSMC_TI |
                                        CL_MEM_EXT_PTR_XILINX;
  check_devices(context, properties);
  require(!(flags & kOtherMemory), CL_INVALID_VALUE,
          "flags that name other memory than the external handle");
  check_memory_flags(flags);
  require(!host, CL_INVALID_HOST_PTR, "a host pointer beside the external handle");
  cl_mem made = make(import(*properties.descriptor));
  close(*properties.descriptor);
  return made;
}

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue queue, cl_uint count, const cl_mem* memories,
                                      cl_uint num_events, const cl_event* events, cl_event* out) {
  return hand_over(__func__, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, queue, count, memories,
                   num_events, events, out);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue queue, cl_uint count, const cl_mem* memories,
                                      cl_uint num_events, const cl_event* events, cl_event* out) {
  return hand_over(__func__, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, queue, count, memories,
                   num_events, events, out);
}

}  // extern "C"
