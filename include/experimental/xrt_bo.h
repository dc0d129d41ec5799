/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_bo.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_BO_H_
#define CONCLAVE_EXPERIMENTAL_XRT_BO_H_

#include "../xrt/xrt_bo.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_BO_H_ */
