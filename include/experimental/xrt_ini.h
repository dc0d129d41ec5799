/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_ini.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_INI_H_
#define CONCLAVE_EXPERIMENTAL_XRT_INI_H_

#include "../xrt/xrt_ini.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_INI_H_ */
