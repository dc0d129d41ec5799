// SPDX-License-Identifier: Apache-2.0
// Tokens of extensions that Khronos' headers do not have (yet): those of TI's OpenCL, with TI's values,
// so that programs written for it compile.
#ifndef CL_EXT_CONCLAVE_H_
#define CL_EXT_CONCLAVE_H_

#include <CL/cl.h>
#include <CL/cl_ext.h>

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
// cl_mem_flags: the buffer is in msmc_heap. Cannot be combined with CL_MEM_USE_HOST_PTR.
#ifndef CL_MEM_USE_MSMC_TI
#define CL_MEM_USE_MSMC_TI (1 << 20)
#endif

// cl_ext_buffer_device_address, for headers that are older than it. A buffer with the property
// CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT tells its address; kernels may find it in memory, or get it as an
// argument.
#ifndef cl_ext_buffer_device_address
#define cl_ext_buffer_device_address 1
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000    // cl_mem_properties: cl_bool
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001            // cl_mem_info: one address for each device
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002  // cl_kernel_exec_info: addresses
typedef cl_ulong cl_mem_device_address_ext;
#ifdef __cplusplus
extern "C"
#endif
    cl_int CL_API_CALL
    clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index,
                                   cl_mem_device_address_ext arg_value);
#endif

// cl_khr_kernel_clock, for headers that are older than it.
#ifndef cl_khr_kernel_clock
#define cl_khr_kernel_clock 1
typedef cl_bitfield cl_device_kernel_clock_capabilities_khr;
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif

// cl_khr_spirv_queries, for headers that are older than it.
#ifndef cl_khr_spirv_queries
#define cl_khr_spirv_queries 1
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif

// cl_ext_float_atomics, for headers that are older than it.
#ifndef cl_ext_float_atomics
#define cl_ext_float_atomics 1
typedef cl_bitfield cl_device_fp_atomic_capabilities_ext;
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#endif

// cl_khr_semaphore, cl_khr_external_semaphore and cl_khr_external_memory 1.0, for headers that know
// their drafts.
#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_SEMAPHORE_EXPORTABLE_KHR
#define CL_SEMAPHORE_EXPORTABLE_KHR 0x2054
#endif
#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR 0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

// cl_khr_initialize_memory and cl_khr_terminate_context, for headers that know their other values.
#ifndef CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR
typedef cl_bitfield cl_context_memory_initialize_khr;
#define CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR (1 << 0)
#define CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR (1 << 1)
#endif
#ifndef CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR
typedef cl_bitfield cl_device_terminate_capability_khr;
#define CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR (1 << 0)
#endif

// cl_ti_clmalloc: device memory for the host, aligned to 128 bytes, which buffers with
// CL_MEM_USE_HOST_PTR use in place. Null if none is left. clGetExtensionFunctionAddressForPlatform
// returns these functions; programs that link libocl_util have them by name.
#ifdef __cplusplus
extern "C" {
#endif
void* CL_API_CALL __malloc_ddr(size_t size);
void* CL_API_CALL __malloc_msmc(size_t size);
void CL_API_CALL __free_ddr(void* memory);
void CL_API_CALL __free_msmc(void* memory);
// Whether the address lies in such memory.
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

// The status of a kernel's event after a fault in its code: an access to memory that does not
// exist, an illegal instruction, a trap, a stack overflow. The context's callback gets a text with
// the kernel, the work-group, the address and what lies there.
#ifndef CL_ERROR_KERNEL_FAULT_CONCLAVE
#define CL_ERROR_KERNEL_FAULT_CONCLAVE -7201

/* The status of a kernel's event: a stream that the kernel reads or writes is broken, since the
 * process at its other end has died in the middle. */
#define CL_ERROR_STREAM_BROKEN_CONCLAVE -7202
#endif

// XRT's extensions. The functions are obtained like those of all extensions; programs that link
// libxrt_core have them by name.
//
// cl_kernel_info: on how many compute units of an xclbin the kernel runs (cl_uint). For a
// kernel of another program: on how many of the device.
#ifndef CL_KERNEL_COMPUTE_UNIT_COUNT
#define CL_KERNEL_COMPUTE_UNIT_COUNT 0x1300
#endif

// What xclGetComputeUnitInfo() returns about a kernel's compute unit in an xclbin.
#ifndef XCL_COMPUTE_UNIT_NAME
// char[]: its name, without the kernel's.
#define XCL_COMPUTE_UNIT_NAME 0x1320
// cl_uint: its number in the xclbin.
#define XCL_COMPUTE_UNIT_INDEX 0x1321
// cl_ulong[], one per argument: the banks of memory that the argument may be in, as bits. There is
// one bank, number 0. The entry of an argument that is a value is 0.
#define XCL_COMPUTE_UNIT_CONNECTIONS 0x1322
// size_t: the address of its registers that the xclbin states.
#define XCL_COMPUTE_UNIT_BASE_ADDRESS 0x1323
#endif
typedef cl_uint xcl_compute_unit_info;

// cl_mem_flags: host_ptr points to a cl_mem_ext_ptr_t. With XCL_MEM_EXT_P2P_BUFFER among its flags
// (the others, banks of memory, mean nothing here), xclGetMemObjectFd() can give the buffer to
// others. Cannot be combined with CL_MEM_USE_HOST_PTR.
#ifndef CL_MEM_EXT_PTR_XILINX
#define CL_MEM_EXT_PTR_XILINX ((cl_mem_flags)1 << 31)
#define XCL_MEM_EXT_P2P_BUFFER (1u << 30)
typedef struct {
  cl_uint flags;
  void* obj;  // what host_ptr would be
  void* param;
} cl_mem_ext_ptr_t;
#endif

// cl_context_properties: the device's array is open in this access mode as long as the context
// lives (docs/access-modes.md). If somebody has it in a mode that forbids this, clCreateContext
// returns CL_DEVICE_NOT_AVAILABLE and tells the context's callback who.
#ifndef CL_CONTEXT_ACCESS_MODE_CONCLAVE
#define CL_CONTEXT_ACCESS_MODE_CONCLAVE 0x434e0001
#define CL_ACCESS_MODE_EXCLUSIVE_CONCLAVE 0
#define CL_ACCESS_MODE_PRIMARY_CONCLAVE 1
#define CL_ACCESS_MODE_SHARED_CONCLAVE 2
#endif

#ifdef __cplusplus
extern "C" {
#endif
// `cu_id`: 0 to CL_KERNEL_COMPUTE_UNIT_COUNT - 1. CL_INVALID_KERNEL if the kernel is not of an
// xclbin, CL_INVALID_VALUE for another number or question, or if there is too little room.
__attribute__((visibility("default"))) cl_int CL_API_CALL
xclGetComputeUnitInfo(cl_kernel kernel, cl_uint cu_id, xcl_compute_unit_info param_name,
                      size_t param_value_size, void* param_value, size_t* param_value_size_ret);
// A new file descriptor of a buffer's memory, which the caller closes. CL_INVALID_MEM_OBJECT if
// other processes cannot have the buffer, CL_INVALID_VALUE if `fd` is null.
__attribute__((visibility("default"))) cl_int CL_API_CALL xclGetMemObjectFd(cl_mem mem, int* fd);
// A buffer in the memory of such a descriptor (or of one of xclExportBO()), perhaps of another
// process. The descriptor stays the caller's. The buffer takes nothing from this process's share of
// the device's heaps. CL_INVALID_MEM_OBJECT for any other descriptor, CL_INVALID_DEVICE if the
// context does not have the device.
__attribute__((visibility("default"))) cl_int CL_API_CALL xclGetMemObjectFromFd(
    cl_context context, cl_device_id device, cl_mem_flags flags, int fd, cl_mem* mem);
// The longest time of a kernel on a compute unit, in milliseconds; 0: no limit. Counts for launches
// from now on in queues with CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI.
// clGetExtensionFunctionAddressForPlatform returns it, like all functions of extensions.
typedef cl_int(CL_API_CALL* __ti_set_kernel_timeout_ms_fn)(cl_kernel kernel, cl_uint milliseconds);
cl_int CL_API_CALL __ti_set_kernel_timeout_ms(cl_kernel kernel, cl_uint milliseconds);
#ifdef __cplusplus
}
#endif

#endif  // CL_EXT_CONCLAVE_H_
