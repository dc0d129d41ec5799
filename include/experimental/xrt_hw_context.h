/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_hw_context.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_HW_CONTEXT_H_
#define CONCLAVE_EXPERIMENTAL_XRT_HW_CONTEXT_H_

#include "../xrt/xrt_hw_context.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_HW_CONTEXT_H_ */
