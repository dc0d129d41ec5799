// SPDX-License-Identifier: Apache-2.0
// How lists of compute units are split into those of sub-devices.
#ifndef CONCLAVE_PLATFORM_MODEL_PARTITION_H_
#define CONCLAVE_PLATFORM_MODEL_PARTITION_H_

#include <CL/cl.h>

#include <cstdint>
#include <vector>

namespace conclave {

// The parts that a property list of clCreateSubDevices makes of `units`. Throws Error with the
// codes of that function.
std::vector<std::vector<uint32_t>> parts_of(const std::vector<uint32_t>& units,
                                            const cl_device_partition_property* properties);

// A copy of a list that parts_of() takes, as the device tells it: with its terminating zero, and
// with the domain that was found in place of CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE.
std::vector<cl_device_partition_property> partition_of(
    const std::vector<uint32_t>& units, const cl_device_partition_property* properties);

// The domains, of CL_DEVICE_AFFINITY_DOMAIN_..., that make more than one part of `units`.
cl_device_affinity_domain affinity_domains(const std::vector<uint32_t>& units);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_PARTITION_H_
