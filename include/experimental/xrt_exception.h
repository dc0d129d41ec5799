/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_exception.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_EXCEPTION_H_
#define CONCLAVE_EXPERIMENTAL_XRT_EXCEPTION_H_

#include "../xrt/xrt_exception.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_EXCEPTION_H_ */
