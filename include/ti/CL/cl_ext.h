// SPDX-License-Identifier: Apache-2.0
// TI's cl_ext.h: Khronos' one, with TI's tokens and functions.
#ifndef CONCLAVE_TI_CL_EXT_H_
#define CONCLAVE_TI_CL_EXT_H_

// TI's programs know OpenCL 1.2.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif

#include_next <CL/cl_ext.h>

#include <CL/cl_ext_conclave.h>

#endif  // CONCLAVE_TI_CL_EXT_H_
