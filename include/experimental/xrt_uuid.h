/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_uuid.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_UUID_H_
#define CONCLAVE_EXPERIMENTAL_XRT_UUID_H_

#include "../xrt/xrt_uuid.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_UUID_H_ */
