// SPDX-License-Identifier: Apache-2.0
// cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_mutable_dispatch 0.9.5 and
// cl_khr_command_buffer_multi_device 0.9.2. Distributions still have Khronos' headers of 0.9.0, whose
// functions and structures of the same names differ, so those that changed are declared here, in a
// namespace.
#ifndef CONCLAVE_COMMAND_BUFFER_API_H_
#define CONCLAVE_COMMAND_BUFFER_API_H_

#include <CL/cl.h>
#include <CL/cl_ext.h>

#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif
#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif
#ifndef CL_COMMAND_BUFFER_STATE_FINALIZED_KHR
#define CL_COMMAND_BUFFER_STATE_FINALIZED_KHR 2
#endif
#ifndef CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR 0x12A2
#endif
#ifndef CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR
#define CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B7
#define CL_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B8
#define CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR (1 << 0)
#endif
#ifndef CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR
#define CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR 0x0908
#define CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR (1 << 0)
#define CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR (1 << 1)
#define CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR (1 << 2)
#define CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR 0x12AB
#define CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR 0x12AC
#define CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR (1 << 4)
#define CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR (1 << 2)
#endif

namespace conclave::command_buffer_api {

using cl_platform_command_buffer_capabilities_khr = cl_bitfield;

using cl_command_properties_khr = cl_properties;
using cl_command_buffer_update_type_khr = cl_uint;

// CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, which was 1 in older headers.
inline constexpr cl_command_buffer_update_type_khr kMutableDispatchConfig = 0;

struct cl_mutable_dispatch_config_khr {
  cl_mutable_command_khr command;
  cl_uint num_args;
  cl_uint num_svm_args;
  cl_uint num_exec_infos;
  cl_uint work_dim;
  const cl_mutable_dispatch_arg_khr* arg_list;
  const cl_mutable_dispatch_arg_khr* arg_svm_list;
  const cl_mutable_dispatch_exec_info_khr* exec_info_list;
  const size_t* global_work_offset;
  const size_t* global_work_size;
  const size_t* local_work_size;
};

cl_command_buffer_khr CL_API_CALL
clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue* queues,
                         const cl_command_buffer_properties_khr* properties, cl_int* errcode_ret);
cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr buffer);
cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr buffer);
cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr buffer);
cl_int CL_API_CALL clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue* queues,
                                             cl_command_buffer_khr buffer, cl_uint num_events,
                                             const cl_event* events, cl_event* event);
cl_command_buffer_khr CL_API_CALL clRemapCommandBufferKHR(
    cl_command_buffer_khr buffer, cl_bool automatic, cl_uint num_queues,
    const cl_command_queue* queues, cl_uint num_handles, const cl_mutable_command_khr* handles,
    cl_mutable_command_khr* handles_ret, cl_int* errcode_ret);
cl_int CL_API_CALL clGetCommandBufferInfoKHR(cl_command_buffer_khr buffer,
                                             cl_command_buffer_info_khr name, size_t size,
                                             void* value, size_t* size_ret);
cl_int CL_API_CALL clUpdateMutableCommandsKHR(cl_command_buffer_khr buffer, cl_uint num_configs,
                                              const cl_command_buffer_update_type_khr* types,
                                              const void** configs);
cl_int CL_API_CALL clGetMutableCommandInfoKHR(cl_mutable_command_khr command,
                                              cl_mutable_command_info_khr name, size_t size,
                                              void* value, size_t* size_ret);

cl_int CL_API_CALL clCommandBarrierWithWaitListKHR(cl_command_buffer_khr buffer,
                                                   cl_command_queue queue,
                                                   const cl_command_properties_khr* properties,
                                                   cl_uint num_sync_points,
                                                   const cl_sync_point_khr* wait_for,
                                                   cl_sync_point_khr* sync_point,
                                                   cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandCopyBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr* properties, cl_mem from,
                                          cl_mem to, size_t from_offset, size_t to_offset,
                                          size_t size, cl_uint num_sync_points,
                                          const cl_sync_point_khr* wait_for,
                                          cl_sync_point_khr* sync_point,
                                          cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandCopyBufferRectKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue,
    const cl_command_properties_khr* properties, cl_mem from, cl_mem to, const size_t* from_origin,
    const size_t* to_origin, const size_t* region, size_t from_row_pitch, size_t from_slice_pitch,
    size_t to_row_pitch, size_t to_slice_pitch, cl_uint num_sync_points,
    const cl_sync_point_khr* wait_for, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandCopyBufferToImageKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue,
    const cl_command_properties_khr* properties, cl_mem from, cl_mem to, size_t offset,
    const size_t* origin, const size_t* region, cl_uint num_sync_points,
    const cl_sync_point_khr* wait_for, cl_sync_point_khr* sync_point,
    cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandCopyImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr* properties, cl_mem from,
                                         cl_mem to, const size_t* from_origin,
                                         const size_t* to_origin, const size_t* region,
                                         cl_uint num_sync_points, const cl_sync_point_khr* wait_for,
                                         cl_sync_point_khr* sync_point,
                                         cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandCopyImageToBufferKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue,
    const cl_command_properties_khr* properties, cl_mem from, cl_mem to, const size_t* origin,
    const size_t* region, size_t offset, cl_uint num_sync_points, const cl_sync_point_khr* wait_for,
    cl_sync_point_khr* sync_point, cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandFillBufferKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr* properties,
                                          cl_mem memory, const void* pattern, size_t pattern_size,
                                          size_t offset, size_t size, cl_uint num_sync_points,
                                          const cl_sync_point_khr* wait_for,
                                          cl_sync_point_khr* sync_point,
                                          cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandFillImageKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr* properties, cl_mem image,
                                         const void* color, const size_t* origin,
                                         const size_t* region, cl_uint num_sync_points,
                                         const cl_sync_point_khr* wait_for,
                                         cl_sync_point_khr* sync_point,
                                         cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandNDRangeKernelKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const cl_command_properties_khr* properties,
                                             cl_kernel kernel, cl_uint dimensions,
                                             const size_t* offset, const size_t* global,
                                             const size_t* local, cl_uint num_sync_points,
                                             const cl_sync_point_khr* wait_for,
                                             cl_sync_point_khr* sync_point,
                                             cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandSVMMemcpyKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const cl_command_properties_khr* properties, void* to,
                                         const void* from, size_t size, cl_uint num_sync_points,
                                         const cl_sync_point_khr* wait_for,
                                         cl_sync_point_khr* sync_point,
                                         cl_mutable_command_khr* mutable_handle);
cl_int CL_API_CALL clCommandSVMMemFillKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_command_properties_khr* properties, void* to,
                                          const void* pattern, size_t pattern_size, size_t size,
                                          cl_uint num_sync_points,
                                          const cl_sync_point_khr* wait_for,
                                          cl_sync_point_khr* sync_point,
                                          cl_mutable_command_khr* mutable_handle);

}  // namespace conclave::command_buffer_api

#endif  // CONCLAVE_COMMAND_BUFFER_API_H_
