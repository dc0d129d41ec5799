/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_aie.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_AIE_H_
#define CONCLAVE_EXPERIMENTAL_XRT_AIE_H_

#include "../xrt/xrt_aie.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_AIE_H_ */
