// SPDX-License-Identifier: Apache-2.0
// Devices and sub-devices.
#include <CL/cl_ext_conclave.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "conclave/device_features.h"
#include "icd/entry.h"
#include "icd/extensions.h"
#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/host_cpus.h"
#include "platform/exec/engine.h"
#include "platform/loader/compiler_client.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

constexpr cl_device_fp_config kFloatConfig = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                             CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;

// The device is found under each of its types, but reports one: programs compare instead of testing
// bits, and the conformance tests demand it.
cl_device_type reported_type() {
  const cl_device_type types = Config::get().device_type;
  return types & -types;
}

// What the CPU says of itself.
struct CpuInfo {
  std::string vendor = "unknown";
  std::string model = "CPU";
  cl_uint vendor_id = 0;

  static const CpuInfo& get() {
    static const CpuInfo info;
    return info;
  }

 private:
  CpuInfo() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line) && !line.empty();) {
      size_t colon = line.find(": ");
      if (colon == std::string::npos) continue;
      std::string value = line.substr(colon + 2);
      if (line.starts_with("vendor_id")) vendor = value;
      if (line.starts_with("model name")) model = value;
    }
    // PCI vendor numbers, as other runtimes report them.
    if (vendor == "GenuineIntel") vendor_id = 0x8086;
    if (vendor == "AuthenticAMD") vendor_id = 0x1022;
  }
};

// Size of cpu0's cache of the highest level, and of its lines, in bytes.
cl_ulong cache_attribute(const char* attribute) {
  cl_ulong value = 0;
  for (int i = 0; i < 8; ++i) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/" +
                       attribute);
    cl_ulong number;
    if (!(file >> number)) continue;
    char unit = '\0';
    file >> unit;
    value = unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
  }
  return value;
}

std::vector<cl_name_version> language_versions() {
  std::vector<cl_name_version> list;
  for (auto [major, minor] : {std::pair{1, 0}, {1, 1}, {1, 2}, {3, 0}})
    list.push_back(name_version("OpenCL C", CL_MAKE_VERSION(major, minor, 0)));
  return list;
}

std::vector<cl_name_version> language_features() {
  std::vector<cl_name_version> list;
  for (const char* name : kLanguageFeatures)
    list.push_back(name_version(name, CL_MAKE_VERSION(3, 0, 0)));
  return list;
}

// Bytes of the CPU's vector registers.
cl_uint vector_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx")) return 32;
#endif
  return 16;
}

// Preferred and native vector widths, in elements.
cl_uint vector_width(cl_device_info name) {
  switch (name) {
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
      return 16;  // there is no wider vector type
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
      return std::min<cl_uint>(16, vector_bytes() / 2);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
      return vector_bytes() / 8;
    default:  // int, float and half, which is computed as float
      return vector_bytes() / 4;
  }
}

// The property list of cl_ext_device_fission in the terms of OpenCL 1.2.
std::vector<cl_device_partition_property> core_properties(
    const cl_device_partition_property_ext* list) {
  require(list, CL_INVALID_VALUE, "no partition properties");
  std::vector<cl_device_partition_property> core;
  switch (list[0]) {
    case CL_DEVICE_PARTITION_EQUALLY_EXT:
      return {CL_DEVICE_PARTITION_EQUALLY, cl_device_partition_property(list[1]), 0};
    case CL_DEVICE_PARTITION_BY_COUNTS_EXT:
      core.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
      while (*++list != CL_PARTITION_BY_COUNTS_LIST_END_EXT)
        core.push_back(cl_device_partition_property(*list));
      core.insert(core.end(), 2, 0);
      return core;
    case CL_DEVICE_PARTITION_BY_NAMES_EXT:
      core.push_back(CL_DEVICE_PARTITION_BY_NAMES_EXT);
      while (*++list != CL_PARTITION_BY_NAMES_LIST_END_EXT)
        core.push_back(cl_device_partition_property(*list));
      core.push_back(CL_PARTITION_BY_NAMES_LIST_END_EXT);
      core.push_back(0);
      return core;
    default:
      throw Error(CL_INVALID_VALUE, "unknown partition type of cl_ext_device_fission");
  }
}

// And back, for CL_DEVICE_PARTITION_STYLE_EXT.
std::vector<cl_device_partition_property_ext> extension_properties(
    const std::vector<cl_device_partition_property>& core) {
  std::vector<cl_device_partition_property_ext> list(core.begin(), core.end());
  if (list.empty()) return list;
  if (core[0] == CL_DEVICE_PARTITION_EQUALLY) list[0] = CL_DEVICE_PARTITION_EQUALLY_EXT;
  if (core[0] == CL_DEVICE_PARTITION_BY_COUNTS) list[0] = CL_DEVICE_PARTITION_BY_COUNTS_EXT;
  return list;
}

// Identity, and what the device can do at all.
bool describe(const Device& device, cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_TYPE:
      return info.value<cl_device_type>(reported_type()), true;
    case CL_DEVICE_VENDOR_ID:
      return info.value<cl_uint>(CpuInfo::get().vendor_id), true;
    case CL_DEVICE_NAME:
      return info.text("Conclave on " + CpuInfo::get().model), true;
    case CL_DEVICE_VENDOR:
      return info.text(CpuInfo::get().vendor), true;
    case CL_DRIVER_VERSION:
      return info.text(CONCLAVE_VERSION), true;
    case CL_DEVICE_PROFILE:
      return info.text("FULL_PROFILE"), true;
    case CL_DEVICE_VERSION:
      return info.text(Platform::kVersion), true;
    case CL_DEVICE_NUMERIC_VERSION:
      return info.value<cl_version>(CL_MAKE_VERSION(3, 0, 0)), true;
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
      return info.text("v0000-01-01-00"), true;  // never submitted
    case CL_DEVICE_OPENCL_C_VERSION:
      return info.text("OpenCL C 1.2 Conclave " CONCLAVE_VERSION), true;
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
      return info.value<cl_version>(CL_MAKE_VERSION(1, 2, 0)), true;
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
      return info.list(language_versions()), true;
    case CL_DEVICE_OPENCL_C_FEATURES:
      return info.list(language_features()), true;
    case CL_DEVICE_EXTENSIONS:
      return info.text(extension_string(device_extensions())), true;
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
      return info.list(device_extensions()), true;
    case CL_DEVICE_PLATFORM:
      return info.value<cl_platform_id>(Platform::get().handle()), true;
    case CL_DEVICE_AVAILABLE:
      return info.flag(device.available()), true;
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
      return info.flag(compiler_available()), true;
    case CL_DEVICE_ENDIAN_LITTLE:
      return info.flag(true), true;
    case CL_DEVICE_EXECUTION_CAPABILITIES:
      return info.value<cl_device_exec_capabilities>(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL), true;
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
      return info.value<cl_command_queue_properties>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                     CL_QUEUE_PROFILING_ENABLE |
                                                     CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI),
             true;
    case CL_DEVICE_BUILT_IN_KERNELS:
    case CL_DEVICE_IL_VERSION:
      return info.text(""), true;
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
    case CL_DEVICE_ILS_WITH_VERSION:
      return info.list(std::vector<cl_name_version>()), true;
    default:
      return false;
  }
}

// Numbers of compute: units, sizes of work, precision.
bool describe_compute(const Device& device, cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return info.value<cl_uint>(static_cast<cl_uint>(device.units().size())), true;
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return info.value<cl_uint>(host_cpu_mhz()), true;
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
      return info.value<cl_uint>(3), true;
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      return info.list(std::vector<size_t>(3, Device::max_work_group_size())), true;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return info.value<size_t>(Device::max_work_group_size()), true;
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return info.value<size_t>(16), true;
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:  // in groups that do not run in packets
      return info.value<cl_uint>(Device::max_work_group_size()), true;
    // One after the other runs till the next barrier of the work-group.
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
      return info.flag(false), true;
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
      return info.list(std::vector<size_t>(std::begin(kSubGroupSizes), std::end(kSubGroupSizes))),
             true;
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
      return info.flag(true), true;
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      return info.value<size_t>(Device::kMaxParameterBytes), true;
    case CL_DEVICE_ADDRESS_BITS:
      return info.value<cl_uint>(8 * sizeof(void*)), true;
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return info.value<cl_device_fp_config>(kFloatConfig | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
             true;
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_HALF_FP_CONFIG:
      return info.value<cl_device_fp_config>(kFloatConfig), true;
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
      return info.value<size_t>(1), true;
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
      return info.value<size_t>(1 << 20), true;
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: {
      cl_device_atomic_capabilities all =
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
          CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
          CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
      if (name == CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) all |= CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
      return info.value(all), true;
    }
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
      return info.value<cl_uint>(static_cast<cl_uint>(device.units().size())), true;
    case CL_DEVICE_PARTITION_PROPERTIES:
      if (device.units().size() == 1)
        return info.list(std::vector<cl_device_partition_property>{0}), true;
      return info.list(std::vector<cl_device_partition_property>{
                 CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS,
                 cl_device_partition_property(CL_DEVICE_PARTITION_BY_NAMES_EXT)}),
             true;
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
      return info.value<cl_device_affinity_domain>(0), true;
    case CL_DEVICE_PARTITION_TYPE:
      return info.list(device.partition()), true;
    case CL_DEVICE_PARENT_DEVICE:
      return info.value<cl_device_id>(device.parent() ? device.parent()->handle() : nullptr), true;
    // The same in the terms of cl_ext_device_fission.
    case CL_DEVICE_PARTITION_TYPES_EXT:
      return info.list(std::vector<cl_device_partition_property_ext>{
                 CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_BY_COUNTS_EXT,
                 CL_DEVICE_PARTITION_BY_NAMES_EXT}),
             true;
    case CL_DEVICE_AFFINITY_DOMAINS_EXT:
      return info.list(std::vector<cl_device_partition_property_ext>()), true;
    case CL_DEVICE_PARTITION_STYLE_EXT:
      return info.list(extension_properties(device.partition())), true;
    case CL_DEVICE_PARENT_DEVICE_EXT:
      return info.value<cl_device_id>(device.parent() ? device.parent()->handle() : nullptr), true;
    case CL_DEVICE_REFERENCE_COUNT_EXT:
    case CL_DEVICE_REFERENCE_COUNT:
      return info.value<cl_uint>(device.parent() ? device.handles() : 1), true;
    default:
      return false;
  }
}

bool describe_memory(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return info.value<cl_ulong>(Device::global_memory()), true;
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return info.value<cl_ulong>(Device::max_allocation()), true;
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
      return info.value<cl_device_mem_cache_type>(CL_READ_WRITE_CACHE), true;
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: {
      static const cl_ulong bytes = cache_attribute("size");
      return info.value<cl_ulong>(bytes), true;
    }
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: {
      static const cl_ulong bytes = cache_attribute("coherency_line_size");
      return info.value<cl_uint>(static_cast<cl_uint>(bytes)), true;
    }
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
    // cl_ti_msmc_buffers.
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

// Optional features that the device does not have: the queries exist all the same.
bool describe_absent(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_PIPE_SUPPORT:
      return info.flag(false), true;
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
      return info.value<cl_device_device_enqueue_capabilities>(0), true;
    case CL_DEVICE_SVM_CAPABILITIES:
      return info.value<cl_device_svm_capabilities>(0), true;
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
      return info.value<cl_command_queue_properties>(0), true;
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
      return info.value<cl_uint>(0), true;
    default:
      return false;
  }
}

bool describe_vectors(cl_device_info name, const Info& info) {
  const bool preferred = name >= CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR &&
                         name <= CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE;
  const bool native =
      name >= CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR && name <= CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF;
  if (!preferred && !native && name != CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF) return false;
  return info.value<cl_uint>(vector_width(name)), true;
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id handle, cl_device_type type,
                                               cl_uint num_entries, cl_device_id* devices,
                                               cl_uint* num_devices) {
  return guarded(__func__, [&] {
    if (handle) platform(handle);
    constexpr cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                     CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                     CL_DEVICE_TYPE_CUSTOM;
    require(type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known)), CL_INVALID_DEVICE_TYPE,
            "unknown device type");
    require(devices || num_devices, CL_INVALID_VALUE, "nowhere to put the answer");
    require(!devices || num_entries > 0, CL_INVALID_VALUE, "room for 0 devices");
    if (num_devices) *num_devices = 0;
    require(type & (Config::get().device_type | CL_DEVICE_TYPE_DEFAULT), CL_DEVICE_NOT_FOUND,
            "the device is not of this type");
    if (devices) devices[0] = Device::root().handle();
    if (num_devices) *num_devices = 1;
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id handle, cl_device_info name,
                                                size_t size, void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Device& d = device(handle);
    Info info(size, value, size_ret);
    if (!describe(d, name, info) && !describe_compute(d, name, info) &&
        !describe_memory(name, info) && !describe_images(name, info) &&
        !describe_vectors(name, info) && !describe_absent(name, info))
      unknown_query(name);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id handle,
                                                   const cl_device_partition_property* properties,
                                                   cl_uint num_entries, cl_device_id* out,
                                                   cl_uint* num_devices) {
  return guarded(__func__, [&] {
    Device& parent = device(handle);
    size_t count = parent.count_parts(properties);
    if (out) {
      require(num_entries >= count, CL_INVALID_VALUE, "not enough room for the sub-devices");
      std::vector<Ref<Device>> parts = parent.split(properties);
      for (size_t i = 0; i < count; ++i) out[i] = parts[i]->handle();
    }
    if (num_devices) *num_devices = static_cast<cl_uint>(count);
  });
}

CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevicesEXT(cl_device_id handle, const cl_device_partition_property_ext* properties,
                      cl_uint num_entries, cl_device_id* out, cl_uint* num_devices) {
  std::vector<cl_device_partition_property> core;
  cl_int status = guarded(__func__, [&] { core = core_properties(properties); });
  if (status != CL_SUCCESS) return status;
  status = clCreateSubDevices(handle, core.data(), num_entries, out, num_devices);
  // The extension has codes of its own.
  const bool named = core[0] == cl_device_partition_property(CL_DEVICE_PARTITION_BY_NAMES_EXT);
  if (status == CL_DEVICE_PARTITION_FAILED) return CL_DEVICE_PARTITION_FAILED_EXT;
  if (status == CL_INVALID_DEVICE_PARTITION_COUNT) return CL_INVALID_PARTITION_COUNT_EXT;
  if (status == CL_INVALID_VALUE && named) return CL_INVALID_PARTITION_NAME_EXT;
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id handle) {
  return guarded(__func__, [&] {
    Device& d = device(handle);
    if (d.parent()) d.retain_handle();  // the root device is not counted
  });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id handle) {
  return guarded(__func__, [&] {
    Device& d = device(handle);
    if (d.parent()) release(d, CL_INVALID_DEVICE);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id handle) {
  return clRetainDevice(handle);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id handle) {
  return clReleaseDevice(handle);
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id handle,
                                                        cl_ulong* device_timestamp,
                                                        cl_ulong* host_timestamp) {
  return guarded(__func__, [&] {
    device(handle);
    require(device_timestamp && host_timestamp, CL_INVALID_VALUE, "nowhere to put a timestamp");
    *device_timestamp = *host_timestamp = now_ns();
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetHostTimer(cl_device_id handle, cl_ulong* host_timestamp) {
  return guarded(__func__, [&] {
    device(handle);
    require(host_timestamp, CL_INVALID_VALUE, "nowhere to put the timestamp");
    *host_timestamp = now_ns();
  });
}

}  // extern "C"
