// SPDX-License-Identifier: Apache-2.0
// What a device says of its memory and of images in it.
#include <CL/cl_ext_conclave.h>

#include "icd/device_info.h"
#include "platform/base/cpu_info.h"

namespace conclave::icd {

bool describe_memory(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return info.value<cl_ulong>(Device::global_memory()), true;
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return info.value<cl_ulong>(Device::max_allocation()), true;
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
      return info.value<cl_device_mem_cache_type>(CL_READ_WRITE_CACHE), true;
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
      return info.value<cl_ulong>(cpu_cache_bytes()), true;
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
      return info.value<cl_uint>(static_cast<cl_uint>(cpu_cache_line_bytes())), true;
    case CL_DEVICE_LOCAL_MEM_TYPE:
      return info.value<cl_device_local_mem_type>(CL_GLOBAL), true;
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return info.value<cl_ulong>(Device::kLocalMemoryBytes), true;
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
      return info.value<cl_ulong>(Device::kMaxConstantBytes), true;
    case CL_DEVICE_MAX_CONSTANT_ARGS:
      return info.value<cl_uint>(Device::kMaxParameterBytes / sizeof(void*)), true;
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
      return info.value<size_t>(64 << 20), true;
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
      return info.value<size_t>(64 << 20), true;
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
      return info.value<cl_uint>(8 * Device::kMemoryAlignment), true;
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
      return info.value<cl_uint>(Device::kMemoryAlignment), true;
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
      return info.flag(name == CL_DEVICE_HOST_UNIFIED_MEMORY), true;
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
      return info.value<cl_uint>(0), true;
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
      return info.flag(true), true;
    default:
      return false;
  }
}

// Host memory is device memory.
bool describe_shared_memory(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_SVM_CAPABILITIES:
      return info.value<cl_device_svm_capabilities>(
                 CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                 CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS),
             true;
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
      return info.value<cl_device_unified_shared_memory_capabilities_intel>(
                 CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL |
                 CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                 CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |
                 CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL),
             true;
    default:
      return false;
  }
}

bool describe_heaps(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_MSMC_MEM_SIZE_TI:
      return info.value<cl_ulong>(Device::heap_size(share::HeapId::kMsmc)), true;
    case CL_DEVICE_GLOBAL_EXT1_MEM_SIZE_TI:
      return info.value<cl_ulong>(Device::heap_size(share::HeapId::kDdr2)), true;
    case CL_DEVICE_GLOBAL_EXT2_MEM_SIZE_TI:
    case CL_DEVICE_GLOBAL_EXT2_MEM_MAX_ALLOC_TI:
      return info.value<cl_ulong>(0), true;
    case CL_DEVICE_GLOBAL_MEM_MAX_ALLOC_TI:
      return info.value<cl_ulong>(Device::largest_free(share::HeapId::kDdr1)), true;
    case CL_DEVICE_GLOBAL_EXT1_MEM_MAX_ALLOC_TI:
      return info.value<cl_ulong>(Device::largest_free(share::HeapId::kDdr2)), true;
    case CL_DEVICE_MSMC_MEM_MAX_ALLOC_TI:
      return info.value<cl_ulong>(Device::largest_free(share::HeapId::kMsmc)), true;
    case CL_DEVICE_LOCAL_MEM_MAX_ALLOC_TI:
      return info.value<cl_ulong>(Device::kLocalMemoryBytes), true;
    default:
      return false;
  }
}

bool describe_images(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_IMAGE_SUPPORT:
      return info.flag(true), true;
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
      return info.value<size_t>(Device::kMaxImage2dSize), true;
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
      return info.value<size_t>(Device::kMaxImage3dSize), true;
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
      return info.value<size_t>(Device::kMaxImageBufferWidth), true;
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
      return info.value<size_t>(Device::kMaxImageArraySize), true;
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
      return info.value<cl_uint>(Device::kMaxReadImageArguments), true;
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
      return info.value<cl_uint>(Device::kMaxWriteImageArguments), true;
    case CL_DEVICE_MAX_SAMPLERS:
      return info.value<cl_uint>(Device::kMaxSamplers), true;
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
      return info.value<cl_uint>(Device::kImagePitchAlignment), true;
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
      return info.value<cl_uint>(Device::kImageBaseAddressAlignment), true;
    default:
      return false;
  }
}

}  // namespace conclave::icd
