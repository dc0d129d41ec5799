// SPDX-License-Identifier: Apache-2.0
// What tells this machine's device, and this driver, from all others (cl_khr_device_uuid). The
// processes of a machine agree on it, so they can find out that they share a device.
#ifndef CONCLAVE_PLATFORM_MODEL_DEVICE_UUID_H_
#define CONCLAVE_PLATFORM_MODEL_DEVICE_UUID_H_

#include <array>
#include <cstdint>

#include "platform/model/device.h"

namespace conclave {

using Uuid = std::array<uint8_t, 16>;

// The same for all processes, users, versions of this library and boots of a machine, whatever
// compute units the configuration gives to the process. A sub-device's depends on its compute units
// too.
Uuid device_uuid(const Device& device);

// The same wherever this version of the library runs.
Uuid driver_uuid();

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_DEVICE_UUID_H_
