// SPDX-License-Identifier: Apache-2.0
// Devices: how they are found, their handles and their clock.
#include "icd/entry.h"
#include "platform/base/clock.h"

using namespace conclave;
using namespace conclave::icd;

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id handle, cl_device_type type,
                                               cl_uint num_entries, cl_device_id* devices,
                                               cl_uint* num_devices) {
  return guarded(__func__, [&] {
    if (handle) platform(handle);
    constexpr cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                     CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                     CL_DEVICE_TYPE_CUSTOM;
    require(type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known)), CL_INVALID_DEVICE_TYPE,
            "unknown device type");
    require(devices || num_devices, CL_INVALID_VALUE, "nowhere to put the answer");
    require(!devices || num_entries > 0, CL_INVALID_VALUE, "room for 0 devices");
    if (num_devices) *num_devices = 0;
    // Loaders count the devices of each type before the program asks, so counting settles nothing.
    require(devices ? Device::settle_type(type) : Device::has_type(type), CL_DEVICE_NOT_FOUND,
            "the device is not of this type");
    if (devices) devices[0] = Device::root().handle();
    if (num_devices) *num_devices = 1;
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id handle) {
  return guarded(__func__, [&] {
    Device& d = device(handle);
    if (d.parent()) d.retain_handle();  // the root device is not counted
  });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id handle) {
  return guarded(__func__, [&] {
    Device& d = device(handle);
    if (d.parent()) release(d, CL_INVALID_DEVICE);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id handle) {
  return clRetainDevice(handle);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id handle) {
  return clReleaseDevice(handle);
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id handle,
                                                        cl_ulong* device_timestamp,
                                                        cl_ulong* host_timestamp) {
  return guarded(__func__, [&] {
    device(handle);
    require(device_timestamp && host_timestamp, CL_INVALID_VALUE, "nowhere to put a timestamp");
    *device_timestamp = *host_timestamp = now_ns();
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id handle, cl_ulong* host_timestamp) {
  return guarded(__func__, [&] {
    device(handle);
    require(host_timestamp, CL_INVALID_VALUE, "nowhere to put the timestamp");
    *host_timestamp = now_ns();
  });
}

}  // extern "C"
