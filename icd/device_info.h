// SPDX-License-Identifier: Apache-2.0
// clGetDeviceInfo's queries that have a file of their own. Each function answers those on its
// subject, and returns false if `name` is not one of them.
#ifndef CONCLAVE_ICD_DEVICE_INFO_H_
#define CONCLAVE_ICD_DEVICE_INFO_H_

#include "icd/entry.h"

namespace conclave::icd {

// device_info_memory.cc: memory, shared virtual memory, the heaps of
// cl_ti_msmc_buffers, and images.
bool describe_memory(cl_device_info name, const Info& info);
bool describe_shared_memory(cl_device_info name, const Info& info);
bool describe_heaps(cl_device_info name, const Info& info);
bool describe_images(cl_device_info name, const Info& info);

// command_buffer.cc
bool describe_command_buffers(cl_device_info name, const Info& info);

// pipe.cc
bool describe_pipes(cl_device_info name, const Info& info);

// semaphore.cc, external_memory.cc: the same for device and platform.
bool describe_semaphores(cl_uint name, const Info& info);
bool describe_external_memory(cl_uint name, const Info& info);

// spirv_queries.cc
bool describe_spirv(cl_device_info name, const Info& info);

// sub_device.cc: how the device can be split, and its parent.
bool describe_partition(const Device& device, cl_device_info name, const Info& info);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_DEVICE_INFO_H_
