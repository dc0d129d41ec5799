// SPDX-License-Identifier: Apache-2.0
// The loader's dispatch table, and entry points by name.
#include <CL/cl_ext_conclave.h>
#include <CL/cl_icd.h>

#include <string_view>
#include <type_traits>

#include "conclave/command_buffer_api.h"
#include "icd/entry.h"
#include "icd/functions.h"

namespace conclave {
namespace icd {
namespace {

// Valid handles come before the refusal.
void check_first(cl_context handle) {
  context(handle);
}
void check_first(cl_command_queue handle) {
  queue(handle);
}
template <class T>
void check_first(T) {}

void set_code(cl_int* code, cl_int status) {
  if (code) *code = status;
}
template <class T>
void set_code(T, cl_int) {}

// Replaces a function of an absent feature, whatever its parameters: it returns
// CL_INVALID_OPERATION, or null and the code through its last parameter.
template <class Function>
struct Absent;

template <class Result, class First, class... Rest>
struct Absent<Result(CL_API_CALL*)(First, Rest...)> {
  static Result CL_API_CALL call(First first, Rest... rest) {
    cl_int status = guarded("an optional function", [&] {
      check_first(first);
      throw Error(CL_INVALID_OPERATION, "the device does not have this optional feature");
    });
    if constexpr (std::is_same_v<Result, cl_int>) {
      return status;
    } else {
      (set_code(rest, status), ...);
      return Result{};
    }
  }
};

// cl_khr_icd 2.0: two entries that no loader calls through the table carry this mark instead, which
// tells a loader that objects have room for its data.
template <class Function>
Function icd2_mark() {
  constexpr intptr_t kMark = 0x434c3331;  // "CL31"
  return reinterpret_cast<Function>(kMark);
}

cl_icd_dispatch make_table() {
  cl_icd_dispatch table{};
#define PRESENT(name) table.name = &::name;
#define ABSENT(name) table.name = &Absent<decltype(table.name)>::call;
#include "icd/entry_points.def"
#undef PRESENT
#undef ABSENT
  return table;
}

struct Named {
  const char* name;
  void* function;
};

}  // namespace

void* core_function(const char* name) {
  static const cl_icd_dispatch functions = make_table();
  static const Named list[] = {
#define PRESENT(name) {#name, reinterpret_cast<void*>(functions.name)},
#define ABSENT(name) {#name, reinterpret_cast<void*>(functions.name)},
#include "icd/entry_points.def"
#undef PRESENT
#undef ABSENT
  };
  for (const Named& entry : list)
    if (std::string_view(name) == entry.name) return entry.function;
  return nullptr;
}

}  // namespace icd

const cl_icd_dispatch kDispatch = [] {
  cl_icd_dispatch table = icd::make_table();
  table.clGetPlatformIDs = icd::icd2_mark<decltype(table.clGetPlatformIDs)>();
  table.clUnloadCompiler = icd::icd2_mark<decltype(table.clUnloadCompiler)>();
  return table;
}();

}  // namespace conclave

extern "C" {
void* CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id, const char*);
cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id, void*);
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint, cl_platform_id*, cl_uint*);
}

void* conclave::icd::extension_function(const char* name) {
  static const Named list[] = {
#define EXTENSION(name) {#name, reinterpret_cast<void*>(&::name)}
      EXTENSION(clIcdGetPlatformIDsKHR),
      EXTENSION(clIcdGetFunctionAddressForPlatformKHR),
      EXTENSION(clIcdSetPlatformDispatchDataKHR),
      EXTENSION(clCreateCommandQueueWithPropertiesKHR),
      EXTENSION(clCreateProgramWithILKHR),
      EXTENSION(clTerminateContextKHR),
      EXTENSION(clCreateSemaphoreWithPropertiesKHR),
      EXTENSION(clEnqueueWaitSemaphoresKHR),
      EXTENSION(clEnqueueSignalSemaphoresKHR),
      EXTENSION(clGetSemaphoreInfoKHR),
      EXTENSION(clGetSemaphoreHandleForTypeKHR),
      EXTENSION(clRetainSemaphoreKHR),
      EXTENSION(clReleaseSemaphoreKHR),
      EXTENSION(clEnqueueAcquireExternalMemObjectsKHR),
      EXTENSION(clEnqueueReleaseExternalMemObjectsKHR),
      EXTENSION(clGetKernelSuggestedLocalWorkSizeKHR),
      EXTENSION(clGetKernelSubGroupInfoKHR),
      EXTENSION(clCreateSubDevicesEXT),
      EXTENSION(clRetainDeviceEXT),
      EXTENSION(clReleaseDeviceEXT),
      EXTENSION(clHostMemAllocINTEL),
      EXTENSION(clDeviceMemAllocINTEL),
      EXTENSION(clSharedMemAllocINTEL),
      EXTENSION(clMemFreeINTEL),
      EXTENSION(clMemBlockingFreeINTEL),
      EXTENSION(clGetMemAllocInfoINTEL),
      EXTENSION(clSetKernelArgMemPointerINTEL),
      EXTENSION(clEnqueueMemFillINTEL),
      EXTENSION(clEnqueueMemsetINTEL),
      EXTENSION(clEnqueueMemcpyINTEL),
      EXTENSION(clEnqueueMigrateMemINTEL),
      EXTENSION(clEnqueueMemAdviseINTEL),
      EXTENSION(clSetKernelArgDevicePointerEXT),
      EXTENSION(__malloc_ddr),
      EXTENSION(__malloc_msmc),
      EXTENSION(__free_ddr),
      EXTENSION(__free_msmc),
      EXTENSION(__is_in_malloced_region),
      EXTENSION(__ti_set_kernel_timeout_ms),
#define COMMAND_BUFFER(name) {#name, reinterpret_cast<void*>(&command_buffer_api::name)}
      COMMAND_BUFFER(clCreateCommandBufferKHR),
      COMMAND_BUFFER(clFinalizeCommandBufferKHR),
      COMMAND_BUFFER(clRetainCommandBufferKHR),
      COMMAND_BUFFER(clReleaseCommandBufferKHR),
      COMMAND_BUFFER(clEnqueueCommandBufferKHR),
      COMMAND_BUFFER(clGetCommandBufferInfoKHR),
      COMMAND_BUFFER(clRemapCommandBufferKHR),
      COMMAND_BUFFER(clUpdateMutableCommandsKHR),
      COMMAND_BUFFER(clGetMutableCommandInfoKHR),
      COMMAND_BUFFER(clCommandBarrierWithWaitListKHR),
      COMMAND_BUFFER(clCommandCopyBufferKHR),
      COMMAND_BUFFER(clCommandCopyBufferRectKHR),
      COMMAND_BUFFER(clCommandCopyBufferToImageKHR),
      COMMAND_BUFFER(clCommandCopyImageKHR),
      COMMAND_BUFFER(clCommandCopyImageToBufferKHR),
      COMMAND_BUFFER(clCommandFillBufferKHR),
      COMMAND_BUFFER(clCommandFillImageKHR),
      COMMAND_BUFFER(clCommandNDRangeKernelKHR),
      COMMAND_BUFFER(clCommandSVMMemcpyKHR),
      COMMAND_BUFFER(clCommandSVMMemFillKHR),
#undef COMMAND_BUFFER
      EXTENSION(xclGetComputeUnitInfo),
      EXTENSION(xclGetMemObjectFd),
      EXTENSION(xclGetMemObjectFromFd),
#undef EXTENSION
  };
  for (const Named& entry : list)
    if (std::string_view(name) == entry.name) return entry.function;
  return nullptr;
}
