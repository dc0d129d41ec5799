// SPDX-License-Identifier: Apache-2.0
// Command queues.
#include "icd/entry.h"
#include "icd/queue_properties.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

constexpr cl_command_queue_properties kKnown =
    kQueueProperties | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

void check_properties(cl_command_queue_properties properties) {
  require(!(properties & ~kKnown), CL_INVALID_VALUE, "unknown bits in the queue's properties");
  require(!(properties & ~kQueueProperties), CL_INVALID_QUEUE_PROPERTIES,
          "the device has no queues on the device");
}

void check_priority(cl_queue_properties priority) {
  require(priority == CL_QUEUE_PRIORITY_HIGH_KHR || priority == CL_QUEUE_PRIORITY_MED_KHR ||
              priority == CL_QUEUE_PRIORITY_LOW_KHR,
          CL_INVALID_VALUE, "CL_QUEUE_PRIORITY_KHR is neither high, medium nor low");
}

void check_throttle(cl_queue_properties throttle) {
  require(throttle == CL_QUEUE_THROTTLE_HIGH_KHR || throttle == CL_QUEUE_THROTTLE_MED_KHR ||
              throttle == CL_QUEUE_THROTTLE_LOW_KHR,
          CL_INVALID_VALUE, "CL_QUEUE_THROTTLE_KHR is neither high, medium nor low");
}

cl_command_queue make_queue(cl_context context_handle, cl_device_id device_handle,
                            cl_command_queue_properties properties,
                            std::vector<cl_queue_properties> requested) {
  Context& c = context(context_handle);
  Device& d = device(device_handle);
  require(c.has(d), CL_INVALID_DEVICE, "the device is not in the context");
  check_properties(properties);
  return (new CommandQueue(c, d, properties, std::move(requested)))->handle();
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueue(cl_context context_handle, cl_device_id device_handle,
                     cl_command_queue_properties properties, cl_int* code) {
  return create(__func__, code,
                [&] { return make_queue(context_handle, device_handle, properties, {}); });
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueueWithProperties(cl_context context_handle, cl_device_id device_handle,
                                   const cl_queue_properties* list, cl_int* code) {
  return create(__func__, code, [&] {
    context(context_handle);
    device(device_handle);
    cl_command_queue_properties properties = 0;
    std::vector<cl_queue_properties> requested;
    for (; list && list[0]; list += 2) {
      if (list[0] == CL_QUEUE_SIZE)
        throw Error(CL_INVALID_QUEUE_PROPERTIES, "CL_QUEUE_SIZE: the device has no such queues");
      if (list[0] == CL_QUEUE_PROPERTIES)
        properties = list[1];
      else if (list[0] == CL_QUEUE_PRIORITY_KHR)
        check_priority(list[1]);
      else if (list[0] == CL_QUEUE_THROTTLE_KHR)
        check_throttle(list[1]);
      else
        throw Error(CL_INVALID_VALUE, "unknown queue property " + std::to_string(list[0]));
      requested.insert(requested.end(), {list[0], list[1]});
    }
    if (list) requested.push_back(0);
    return make_queue(context_handle, device_handle, properties, std::move(requested));
  });
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueueWithPropertiesKHR(cl_context context_handle, cl_device_id device_handle,
                                      const cl_queue_properties_khr* list, cl_int* code) {
  return clCreateCommandQueueWithProperties(
      context_handle, device_handle, reinterpret_cast<const cl_queue_properties*>(list), code);
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue handle,
                                                          cl_command_queue_properties properties,
                                                          cl_bool enable,
                                                          cl_command_queue_properties* old) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(handle);
    check_properties(properties);
    if (old) *old = q.properties();
    q.set_property(properties, enable);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context_handle,
                                                               cl_device_id device_handle,
                                                               cl_command_queue) {
  return guarded(__func__, [&] {
    Context& c = context(context_handle);
    require(c.has(device(device_handle)), CL_INVALID_DEVICE, "the device is not in the context");
    throw Error(CL_INVALID_OPERATION, "the device has no queues on the device");
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue handle) {
  return guarded(__func__, [&] { any_queue(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue handle) {
  return guarded(__func__, [&] { release(any_queue(handle), CL_INVALID_COMMAND_QUEUE); });
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue handle,
                                                      cl_command_queue_info name, size_t size,
                                                      void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    CommandQueue& q = any_queue(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_QUEUE_CONTEXT:
        return info.value<cl_context>(q.context().handle());
      case CL_QUEUE_DEVICE:
        return info.value<cl_device_id>(q.device().handle());
      case CL_QUEUE_REFERENCE_COUNT:
        return info.value<cl_uint>(q.handles());
      case CL_QUEUE_PROPERTIES:
        return info.value<cl_command_queue_properties>(q.properties());
      case CL_QUEUE_PROPERTIES_ARRAY:
        return info.list(q.requested_properties());
      case CL_QUEUE_DEVICE_DEFAULT:
        return info.value<cl_command_queue>(nullptr);
      case CL_QUEUE_SIZE:
        throw Error(CL_INVALID_COMMAND_QUEUE, "CL_QUEUE_SIZE is for queues on the device");
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue handle) {
  return guarded(__func__, [&] { running_queue(handle).flush(); });
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue handle) {
  return guarded(__func__, [&] { running_queue(handle).finish(); });
}

}  // extern "C"
