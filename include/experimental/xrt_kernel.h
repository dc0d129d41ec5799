/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_kernel.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_KERNEL_H_
#define CONCLAVE_EXPERIMENTAL_XRT_KERNEL_H_

#include "../xrt/xrt_kernel.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_KERNEL_H_ */
