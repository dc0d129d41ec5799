// SPDX-License-Identifier: Apache-2.0
// Tokens of extensions that Khronos' headers do not have: those of TI's OpenCL, with TI's values,
// so that programs written for it compile.
#ifndef CL_EXT_CONCLAVE_H_
#define CL_EXT_CONCLAVE_H_

#include <CL/cl.h>

// cl_ti_msmc_buffers: the device's heaps. Sizes are cl_ulong, in bytes; the MAX_ALLOC tokens give
// the largest block that is free at the moment.
#ifndef CL_DEVICE_MSMC_MEM_SIZE_TI
#define CL_DEVICE_MSMC_MEM_SIZE_TI 0x4060         // msmc_heap
#define CL_DEVICE_GLOBAL_EXT1_MEM_SIZE_TI 0x4061  // ddr_heap2
#define CL_DEVICE_GLOBAL_EXT2_MEM_SIZE_TI 0x4062  // there is none: 0
#define CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI 0x4063  // ddr_heap1
#define CL_DEVICE_GLOBAL_EXT1_MEM_MAX_ALLOC_TI 0x4064
#define CL_DEVICE_GLOBAL_EXT2_MEM_MAX_ALLOC_TI 0x4065
#define CL_DEVICE_MSMC_MEM_MAX_ALLOC_TI 0x4066
#define CL_DEVICE_LOCAL_MEM_MAX_ALLOC_TI 0x4067
#endif
// cl_mem_flags: the buffer is in msmc_heap. Not together with CL_MEM_USE_HOST_PTR.
#ifndef CL_MEM_USE_MSMC_TI
#define CL_MEM_USE_MSMC_TI (1 << 20)
#endif

// cl_ti_clmalloc: memory of the device for the host, aligned to 128 bytes, which buffers with
// CL_MEM_USE_HOST_PTR use in place. Null where there is none left. These functions are obtained by
// clGetExtensionFunctionAddressForPlatform; programs that link libocl_util have them by name.
#ifdef __cplusplus
extern "C" {
#endif
void* CL_API_CALL __malloc_ddr(size_t size);
void* CL_API_CALL __malloc_msmc(size_t size);
void CL_API_CALL __free_ddr(void* memory);
void CL_API_CALL __free_msmc(void* memory);
// Whether the address is in memory from them.
cl_bool CL_API_CALL __is_in_malloced_region(void* address);
#ifdef __cplusplus
}
#endif

// cl_ti_kernel_timeout_compute_unit, and how kernels end that do not come to their end: the status
// of their events.
#ifndef CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI
#define CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI (1 << 20)
#endif
#ifndef CL_ERROR_KERNEL_ABORT_TI
#define CL_ERROR_KERNEL_ABORT_TI -7101
#define CL_ERROR_KERNEL_EXIT_TI -7102
#define CL_ERROR_KERNEL_TIMEOUT_TI -7103
#endif

// The status of a kernel's event after a fault in its code: an access to memory that is not there,
// an illegal instruction, a trap, an overflow of the stack. The context's callback gets a text that
// names the kernel, the work-group, the address and what is there.
#ifndef CL_ERROR_KERNEL_FAULT_CONCLAVE
#define CL_ERROR_KERNEL_FAULT_CONCLAVE -7201
#endif

// XRT's. cl_kernel_info: on how many compute units of a device image the kernel runs (cl_uint); of
// another program's kernel, on how many of the device.
#ifndef CL_KERNEL_COMPUTE_UNIT_COUNT
#define CL_KERNEL_COMPUTE_UNIT_COUNT 0x1300
#endif

#ifdef __cplusplus
extern "C" {
#endif
// How long a kernel may be on a compute unit, in milliseconds; 0: as long as it wants. Counts for
// launches from now on in queues with CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI. By
// clGetExtensionFunctionAddressForPlatform, like all functions of extensions.
typedef cl_int(CL_API_CALL* __ti_set_kernel_timeout_ms_fn)(cl_kernel kernel, cl_uint milliseconds);
cl_int CL_API_CALL __ti_set_kernel_timeout_ms(cl_kernel kernel, cl_uint milliseconds);
#ifdef __cplusplus
}
#endif

#endif  // CL_EXT_CONCLAVE_H_
