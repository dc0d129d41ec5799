// SPDX-License-Identifier: Apache-2.0
// Contexts.
#include <CL/cl_ext_conclave.h>

#include <algorithm>
#include <optional>

#include "icd/entry.h"
#include "platform/base/config.h"
#include "platform/exec/engine.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

share::AccessMode access_mode(cl_context_properties value) {
  switch (value) {
    case CL_ACCESS_MODE_EXCLUSIVE_CONCLAVE:
      return share::AccessMode::kExclusive;
    case CL_ACCESS_MODE_PRIMARY_CONCLAVE:
      return share::AccessMode::kPrimary;
    case CL_ACCESS_MODE_SHARED_CONCLAVE:
      return share::AccessMode::kShared;
    default:
      throw Error(CL_INVALID_PROPERTY, "CL_CONTEXT_ACCESS_MODE_CONCLAVE is " +
                                           std::to_string(value) +
                                           "; there are 0 (exclusive), 1 (primary) and 2 (shared)");
  }
}

// The mode in which a checked property list wants the array; none if it does not say.
std::optional<share::AccessMode> wanted_mode(const std::vector<cl_context_properties>& list) {
  for (size_t i = 0; i + 1 < list.size(); i += 2)
    if (list[i] == CL_CONTEXT_ACCESS_MODE_CONCLAVE) return access_mode(list[i + 1]);
  return std::nullopt;
}

// Checks the value of a property other than the platform and the access mode.
void check_value(cl_context_properties name, cl_context_properties value) {
  constexpr cl_context_properties kInitialize =
      CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
  const bool is_valid = name == CL_CONTEXT_MEMORY_INITIALIZE_KHR
                            ? !(value & ~kInitialize)
                            : value == CL_TRUE || value == CL_FALSE;
  require(is_valid, CL_INVALID_PROPERTY,
          name == CL_CONTEXT_MEMORY_INITIALIZE_KHR
              ? "CL_CONTEXT_MEMORY_INITIALIZE_KHR has unknown bits"
              : "a context property is neither CL_TRUE nor CL_FALSE");
}

// Checks a property list; returns it with its terminating zero, empty for a null pointer.
std::vector<cl_context_properties> context_properties(const cl_context_properties* list) {
  std::vector<cl_context_properties> properties;
  if (!list) return properties;
  for (; list[0]; list += 2) {
    for (size_t i = 0; i < properties.size(); i += 2)
      require(properties[i] != list[0], CL_INVALID_PROPERTY, "a context property is given twice");
    switch (list[0]) {
      case CL_CONTEXT_PLATFORM:
        platform(reinterpret_cast<cl_platform_id>(list[1]));
        break;
      case CL_CONTEXT_ACCESS_MODE_CONCLAVE:
        access_mode(list[1]);
        break;
      case CL_CONTEXT_INTEROP_USER_SYNC:
      case CL_CONTEXT_TERMINATE_KHR:
      case CL_CONTEXT_MEMORY_INITIALIZE_KHR:
        check_value(list[0], list[1]);
        break;
      default:
        throw Error(CL_INVALID_PROPERTY, "unknown context property " + std::to_string(list[0]));
    }
    properties.insert(properties.end(), {list[0], list[1]});
  }
  properties.push_back(0);
  return properties;
}

// Makes the context, which opens the process's context on the device's compute units. If that
// fails, tells the callback why.
cl_context make_context(std::vector<Ref<Device>> devices, std::vector<cl_context_properties> list,
                        Context::Notify notify, void* user_data) {
  try {
    if (const std::string why = Device::configuration_errors(); !why.empty())
      throw Error(CL_DEVICE_NOT_AVAILABLE, "the device is not available: " + why);
    require(!Engine::lost_in_fork(), CL_DEVICE_NOT_AVAILABLE,
            "this process was forked after its parent had used the device");
    const std::optional<share::AccessMode> mode = wanted_mode(list);
    return (new Context(std::move(devices), std::move(list), notify, user_data, mode))->handle();
  } catch (const Error& error) {
    if (notify) notify(error.text().c_str(), nullptr, 0, user_data);
    throw;
  }
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties,
                                                    cl_uint num_devices,
                                                    const cl_device_id* devices,
                                                    Context::Notify notify, void* user_data,
                                                    cl_int* code) {
  return create(__func__, code, [&] {
    auto list = context_properties(properties);
    require(devices && num_devices > 0, CL_INVALID_VALUE, "no devices");
    require(notify || !user_data, CL_INVALID_VALUE, "user_data without a callback");
    std::vector<Ref<Device>> unique;
    for (cl_uint i = 0; i < num_devices; ++i) {
      Device& d = device(devices[i]);
      if (std::none_of(unique.begin(), unique.end(), [&](auto& u) { return u.get() == &d; }))
        unique.emplace_back(&d);
    }
    return make_context(std::move(unique), std::move(list), notify, user_data);
  });
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties,
                                                            cl_device_type type,
                                                            Context::Notify notify, void* user_data,
                                                            cl_int* code) {
  return create(__func__, code, [&]() -> cl_context {
    auto list = context_properties(properties);
    require(notify || !user_data, CL_INVALID_VALUE, "user_data without a callback");
    cl_device_id device = nullptr;
    cl_int status = clGetDeviceIDs(nullptr, type, 1, &device, nullptr);
    if (status != CL_SUCCESS) throw Error(status, "no device of this type");
    std::vector<Ref<Device>> devices{Ref<Device>(&Device::root())};
    return make_context(std::move(devices), std::move(list), notify, user_data);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainContext(cl_context handle) {
  return guarded(__func__, [&] { any_context(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseContext(cl_context handle) {
  return guarded(__func__, [&] { release(any_context(handle), CL_INVALID_CONTEXT); });
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context handle, cl_context_info name,
                                                 size_t size, void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Context& c = any_context(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_CONTEXT_REFERENCE_COUNT:
        return info.value<cl_uint>(c.handles());
      case CL_CONTEXT_NUM_DEVICES:
        return info.value<cl_uint>(static_cast<cl_uint>(c.devices().size()));
      case CL_CONTEXT_DEVICES: {
        std::vector<cl_device_id> devices;
        for (const Ref<Device>& d : c.devices()) devices.push_back(d->handle());
        return info.list(devices);
      }
      case CL_CONTEXT_PROPERTIES:
        return info.list(c.properties());
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clTerminateContextKHR(cl_context handle) {
  return guarded(__func__, [&] { any_context(handle).terminate(); });
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(cl_context handle,
                                                               Context::Destructor function,
                                                               void* user_data) {
  return guarded(__func__, [&] {
    Context& c = context(handle);
    require(function, CL_INVALID_VALUE, "no callback");
    c.add_destructor(function, user_data);
  });
}

}  // extern "C"
