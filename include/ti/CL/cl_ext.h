// SPDX-License-Identifier: Apache-2.0
// TI's cl_ext.h: Khronos' one, with TI's tokens and functions.
#ifndef CONCLAVE_TI_CL_EXT_H_
#define CONCLAVE_TI_CL_EXT_H_

#include_next <CL/cl_ext.h>

#include <CL/cl_ext_conclave.h>

#endif  // CONCLAVE_TI_CL_EXT_H_
