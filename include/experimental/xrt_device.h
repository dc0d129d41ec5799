/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_device.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_DEVICE_H_
#define CONCLAVE_EXPERIMENTAL_XRT_DEVICE_H_

#include "../xrt/xrt_device.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_DEVICE_H_ */
