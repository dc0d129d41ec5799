// SPDX-License-Identifier: Apache-2.0
// Addresses that a kernel gets as arguments, or finds in memory.
#include <CL/cl_ext_conclave.h>

#include "icd/commands.h"
#include "icd/entry.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

// An empty list takes an earlier one back.
void check_list(size_t size, const void* value, size_t each) {
  require_list(size, value, CL_INVALID_VALUE, "a size without a list, or the reverse");
  require(size % each == 0, CL_INVALID_VALUE, "the size is no multiple of an address's");
}

}  // namespace

void icd::check_execution_info(cl_kernel_exec_info name, size_t size, const void* value) {
  switch (name) {
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
      return require(value && size == sizeof(cl_bool), CL_INVALID_VALUE, "the value is no cl_bool");
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
      return check_list(size, value, sizeof(void*));
    case CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
      return check_list(size, value, sizeof(cl_mem_device_address_ext));
    default:
      unknown_query(name);
  }
}

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index,
                                                         const void* address) {
  return guarded(__func__, [&] { kernel(handle).set_address(index, address); });
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgMemPointerINTEL(cl_kernel handle, cl_uint index,
                                                              const void* address) {
  return guarded(__func__, [&] { kernel(handle).set_address(index, address); });
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel handle, cl_uint index,
                                                               cl_mem_device_address_ext address) {
  return guarded(__func__, [&] {
    kernel(handle).set_address(index, reinterpret_cast<const void*>(address), CL_INVALID_ARG_INDEX);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel handle, cl_kernel_exec_info name,
                                                    size_t size, const void* value) {
  return guarded(__func__, [&] {
    kernel(handle);
    check_execution_info(name, size, value);
  });
}

}  // extern "C"
