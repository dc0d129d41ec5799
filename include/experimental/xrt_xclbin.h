/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_xclbin.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_XCLBIN_H_
#define CONCLAVE_EXPERIMENTAL_XRT_XCLBIN_H_

#include "../xrt/xrt_xclbin.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_XCLBIN_H_ */
