// SPDX-License-Identifier: Apache-2.0
// Semaphores (cl_khr_semaphore), and those of other processes (cl_khr_external_semaphore with opaque
// descriptors).
#include "platform/model/semaphore.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "icd/device_info.h"
#include "platform/exec/semaphore_commands.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

using Properties = std::vector<cl_semaphore_properties_khr>;

Semaphore& semaphore(cl_semaphore_khr handle) {
  Semaphore* object = Semaphore::from(handle);
  require(object, CL_INVALID_SEMAPHORE_KHR, "not a semaphore, or released");
  current_context = &object->context();
  return *object;
}

// What a property list asks for.
struct Wanted {
  bool has_type = false;
  std::optional<std::vector<cl_device_id>> devices;
  std::optional<std::vector<cl_external_semaphore_handle_type_khr>> export_types;
  std::optional<cl_semaphore_properties_khr> imported;
  Properties list;  // with the terminating 0
};

// The values up to the 0 that ends the list of a property. `at` is left on the last one.
template <class T>
std::vector<T> values(const cl_semaphore_properties_khr*& at, Wanted& wanted) {
  std::vector<T> all;
  for (; *at; ++at) {
    wanted.list.push_back(*at);
    all.push_back((T)*at);  // a handle or a number
  }
  wanted.list.push_back(0);
  return all;
}

Wanted read_properties(const cl_semaphore_properties_khr* at) {
  require(at, CL_INVALID_VALUE, "no properties");
  Wanted wanted;
  for (; *at; ++at) {
    const cl_semaphore_properties_khr name = *at++;
    bool is_new = true;
    wanted.list.push_back(name);
    switch (name) {
      case CL_SEMAPHORE_TYPE_KHR:
        is_new = !std::exchange(wanted.has_type, true);
        require(!is_new || *at == CL_SEMAPHORE_TYPE_BINARY_KHR, CL_INVALID_PROPERTY,
                "the device has binary semaphores only");
        break;
      case CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR:
        is_new = !wanted.imported;
        wanted.imported = *at;
        break;
      case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        is_new = !wanted.devices;
        if (is_new) wanted.devices = values<cl_device_id>(at, wanted);
        break;
      case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        is_new = !wanted.export_types;
        if (is_new) wanted.export_types = values<cl_external_semaphore_handle_type_khr>(at, wanted);
        break;
      default:
        throw Error(CL_INVALID_PROPERTY, "unknown property " + std::to_string(name));
    }
    require(is_new, CL_INVALID_PROPERTY, "a property is given twice");
    if (name == CL_SEMAPHORE_TYPE_KHR || name == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)
      wanted.list.push_back(*at);
  }
  wanted.list.push_back(0);
  return wanted;
}

// The one device of the semaphore.
Device& device_of(const Context& c, const Wanted& wanted) {
  if (!wanted.devices) {
    require(c.devices().size() == 1, CL_INVALID_PROPERTY,
            "the context has several devices, and CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR is missing");
    return *c.devices()[0];
  }
  require(wanted.devices->size() == 1, CL_INVALID_DEVICE, "a semaphore has one device");
  Device& d = device(wanted.devices->front());
  require(c.has(d), CL_INVALID_DEVICE, "the device is not in the context");
  return d;
}

void check_export_types(const Wanted& wanted) {
  if (!wanted.export_types) return;
  require(wanted.export_types->size() <= 1, CL_INVALID_VALUE, "more than one type of handle");
  require(wanted.export_types->empty() ||
              wanted.export_types->front() == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
          CL_INVALID_PROPERTY, "semaphores are exported by opaque descriptors only");
  require(!wanted.imported, CL_INVALID_OPERATION, "an imported semaphore cannot be exported");
}

cl_semaphore_khr make_semaphore(Context& c, const cl_semaphore_properties_khr* properties) {
  Wanted wanted = read_properties(properties);
  require(wanted.has_type, CL_INVALID_VALUE, "no CL_SEMAPHORE_TYPE_KHR");
  check_export_types(wanted);
  Device& d = device_of(c, wanted);
  if (!wanted.imported) {
    const bool is_exportable = wanted.export_types && !wanted.export_types->empty();
    const auto sharing =
        is_exportable ? Semaphore::Sharing::kExportable : Semaphore::Sharing::kPrivate;
    return (new Semaphore(c, d, std::move(wanted.list), sharing))->handle();
  }
  const int descriptor = static_cast<int>(*wanted.imported);
  auto* made = new Semaphore(c, d, std::move(wanted.list), descriptor);
  close(descriptor);  // it was given to us
  return made->handle();
}

std::vector<Ref<Semaphore>> semaphores(const CommandQueue& q, cl_uint count,
                                       const cl_semaphore_khr* handles) {
  require(count > 0 && handles, CL_INVALID_VALUE, "no semaphores");
  std::vector<Ref<Semaphore>> list;
  for (cl_uint i = 0; i < count; ++i) {
    Semaphore& s = semaphore(handles[i]);
    require(&s.context() == &q.context(), CL_INVALID_CONTEXT,
            "the queue and a semaphore are of different contexts");
    require(q.device().is_within(s.device()), CL_INVALID_COMMAND_QUEUE,
            "the semaphore is not for the queue's device");
    list.emplace_back(&s);
  }
  return list;
}

// The host, another queue or another process may wait for what the command does, so it does not stay
// in the queue until the next flush.
cl_int enqueue(const char* function, cl_command_type type, cl_command_queue handle, cl_uint count,
               const cl_semaphore_khr* handles, cl_uint num_events, const cl_event* events,
               cl_event* out) {
  return guarded(function, [&] {
    CommandQueue& q = queue(handle);
    auto list = semaphores(q, count, handles);
    auto wait_for = wait_list(q.context(), num_events, events);
    require(std::none_of(wait_for.begin(), wait_for.end(),
                         [](const Ref<Event>& event) { return event->status() < 0; }),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the wait list has failed");
    auto command = type == CL_COMMAND_SEMAPHORE_WAIT_KHR ? make_semaphore_wait(std::move(list))
                                                         : make_semaphore_signal(std::move(list));
    hand_out(q.enqueue(type, std::move(command), wait_for), out);
    q.flush();
  });
}

std::vector<cl_external_semaphore_handle_type_khr> export_types(const Semaphore& s) {
  if (s.sharing() != Semaphore::Sharing::kExportable) return {};
  return {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR};
}

}  // namespace

bool icd::describe_semaphores(cl_uint name, const Info& info) {
  switch (name) {
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR:
    case CL_DEVICE_SEMAPHORE_TYPES_KHR:
      return info.value<cl_semaphore_type_khr>(CL_SEMAPHORE_TYPE_BINARY_KHR), true;
    case CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
    case CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
    case CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR:
    case CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
      return info.value<cl_external_semaphore_handle_type_khr>(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR),
             true;
    default:
      return false;
  }
}

extern "C" {

CL_API_ENTRY cl_semaphore_khr CL_API_CALL clCreateSemaphoreWithPropertiesKHR(
    cl_context handle, const cl_semaphore_properties_khr* properties, cl_int* code) {
  return create(__func__, code, [&] { return make_semaphore(context(handle), properties); });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWaitSemaphoresKHR(cl_command_queue queue, cl_uint count,
                                                           const cl_semaphore_khr* semaphores,
                                                           const cl_semaphore_payload_khr*,
                                                           cl_uint num_events,
                                                           const cl_event* events, cl_event* out) {
  return enqueue(__func__, CL_COMMAND_SEMAPHORE_WAIT_KHR, queue, count, semaphores, num_events,
                 events, out);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSignalSemaphoresKHR(
    cl_command_queue queue, cl_uint count, const cl_semaphore_khr* semaphores,
    const cl_semaphore_payload_khr*, cl_uint num_events, const cl_event* events, cl_event* out) {
  return enqueue(__func__, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, queue, count, semaphores, num_events,
                 events, out);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSemaphoreInfoKHR(cl_semaphore_khr handle,
                                                      cl_semaphore_info_khr name, size_t size,
                                                      void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    Semaphore& s = semaphore(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_SEMAPHORE_CONTEXT_KHR:
        return info.value<cl_context>(s.context().handle());
      case CL_SEMAPHORE_REFERENCE_COUNT_KHR:
        return info.value<cl_uint>(s.handles());
      case CL_SEMAPHORE_PROPERTIES_KHR:
        return info.list(s.properties());
      case CL_SEMAPHORE_TYPE_KHR:
        return info.value<cl_semaphore_type_khr>(CL_SEMAPHORE_TYPE_BINARY_KHR);
      case CL_SEMAPHORE_PAYLOAD_KHR:
        return info.value<cl_semaphore_payload_khr>(s.is_signalled());
      case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        return info.value<cl_device_id>(s.device().handle());
      case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        return info.list(export_types(s));
      case CL_SEMAPHORE_EXPORTABLE_KHR:
        return info.flag(!export_types(s).empty());
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetSemaphoreHandleForTypeKHR(
    cl_semaphore_khr handle, cl_device_id device_handle, cl_external_semaphore_handle_type_khr type,
    size_t size, void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    Semaphore& s = semaphore(handle);
    require(&device(device_handle) == &s.device(), CL_INVALID_DEVICE,
            "the semaphore is not for the device");
    const auto types = export_types(s);
    require(std::find(types.begin(), types.end(), type) != types.end(), CL_INVALID_VALUE,
            "the semaphore was not created for export by this type of handle");
    require(!value || size >= sizeof(int), CL_INVALID_VALUE, "a descriptor needs more room");
    if (value) Info(size, value, size_ret).value<int>(s.new_descriptor());
    if (size_ret) *size_ret = sizeof(int);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSemaphoreKHR(cl_semaphore_khr handle) {
  return guarded(__func__, [&] { semaphore(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSemaphoreKHR(cl_semaphore_khr handle) {
  return guarded(__func__, [&] { release(semaphore(handle), CL_INVALID_SEMAPHORE_KHR); });
}

}  // extern "C"
