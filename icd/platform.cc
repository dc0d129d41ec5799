// SPDX-License-Identifier: Apache-2.0
// Platforms, and clGetExtensionFunctionAddress.
#include <algorithm>
#include <iterator>

#include "conclave/command_buffer_api.h"
#include "icd/device_info.h"
#include "icd/extensions.h"
#include "icd/functions.h"
#include "platform/base/config.h"
#include "platform/loader/compiler_client.h"

using namespace conclave;
using namespace conclave::icd;

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms,
                                                 cl_uint* num_platforms) {
  return guarded(__func__, [&] {
    require(platforms || num_platforms, CL_INVALID_VALUE, "nowhere to put the answer");
    require(!platforms || num_entries > 0, CL_INVALID_VALUE, "room for 0 platforms");
    if (platforms) platforms[0] = Platform::get().handle();
    if (num_platforms) *num_platforms = 1;
  });
}

CONCLAVE_EXPORT CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                                       cl_platform_id* platforms,
                                                                       cl_uint* num_platforms) {
  return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

CONCLAVE_EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id handle,
                                                                  cl_platform_info name,
                                                                  size_t size, void* value,
                                                                  size_t* size_ret) {
  return guarded(__func__, [&] {
    // A null platform is ours to choose: this is the only one behind this entry point.
    if (handle) platform(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_PLATFORM_PROFILE:
        return info.text("FULL_PROFILE");
      case CL_PLATFORM_VERSION:
        return info.text(Platform::kVersion);
      case CL_PLATFORM_NUMERIC_VERSION:
        return info.value<cl_version>(CL_MAKE_VERSION(3, 0, 0));
      case CL_PLATFORM_NAME:
        return info.text(Platform::kName);
      case CL_PLATFORM_VENDOR:
        return info.text(Platform::kVendor);
      case CL_PLATFORM_EXTENSIONS:
        return info.text(extension_string(platform_extensions()));
      case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return info.list(platform_extensions());
      case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return info.value<cl_ulong>(1);
      case CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR:
        return info.value<command_buffer_api::cl_platform_command_buffer_capabilities_khr>(
            CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR |
            CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR |
            CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR);
      case CL_PLATFORM_ICD_SUFFIX_KHR:
        return info.text(Platform::kIcdSuffix);
      default:
        if (!describe_semaphores(name, info) && !describe_external_memory(name, info))
          unknown_query(name);
    }
  });
}

CONCLAVE_EXPORT CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return name ? extension_function(name) : nullptr;
}

CONCLAVE_EXPORT CL_API_ENTRY void* CL_API_CALL
clGetExtensionFunctionAddressForPlatform(cl_platform_id handle, const char* name) {
  return Platform::from(handle) ? clGetExtensionFunctionAddress(name) : nullptr;
}

// cl_khr_icd 2.0: the loader builds its own table from these and leaves its data with us.
CONCLAVE_EXPORT CL_API_ENTRY void* CL_API_CALL
clIcdGetFunctionAddressForPlatformKHR(cl_platform_id handle, const char* name) {
  if (!Platform::from(handle) || !name) return nullptr;
  void* function = core_function(name);
  return function ? function : extension_function(name);
}

CONCLAVE_EXPORT CL_API_ENTRY cl_int CL_API_CALL
clIcdSetPlatformDispatchDataKHR(cl_platform_id handle, void* data) {
  return guarded(__func__, [&] { platform(handle).set_loader_data(data); });
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void) {
  return guarded(__func__, [] { unload_compiler(); });
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id handle) {
  return guarded(__func__, [&] {
    platform(handle);
    unload_compiler();
  });
}

}  // extern "C"
