// SPDX-License-Identifier: Apache-2.0
// What a device says of itself.
#include "icd/device_info.h"

#include <CL/cl_ext_conclave.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "conclave/device_features.h"
#include "icd/extensions.h"
#include "platform/base/config.h"
#include "platform/base/cpu_info.h"
#include "platform/base/host_cpus.h"
#include "platform/loader/compiler_client.h"
#include "platform/loader/spirv_module.h"
#include "platform/model/device_uuid.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

constexpr cl_device_fp_config kFloatConfig = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                             CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;

// CL_DEVICE_TERMINATE_CAPABILITY_KHR in headers for OpenCL 1.2. clinfo asks for both.
constexpr cl_device_info kOldTerminateCapability = 0x200F;

std::vector<cl_name_version> language_versions() {
  std::vector<cl_name_version> list;
  for (auto [major, minor] : {std::pair{1, 0}, {1, 1}, {1, 2}, {3, 0}})
    list.push_back(name_version("OpenCL C", CL_MAKE_VERSION(major, minor, 0)));
  return list;
}

std::vector<cl_name_version> ils_with_version() {
  std::vector<cl_name_version> list;
  if (spirv_available())
    for (const cl_version version : kSpirvVersions) list.push_back(name_version("SPIR-V", version));
  return list;
}

std::string il_versions() {
  std::string text;
  for (const cl_name_version& il : ils_with_version())
    text += (text.empty() ? "" : " ") + std::string(il.name) + "_" +
            std::to_string(CL_VERSION_MAJOR(il.version)) + "." +
            std::to_string(CL_VERSION_MINOR(il.version));
  return text;
}

std::vector<cl_name_version> language_features() {
  std::vector<cl_name_version> list;
  for (const char* name : kLanguageFeatures)
    list.push_back(name_version(name, CL_MAKE_VERSION(3, 0, 0)));
  for (const char* name : kExtensionFeatures)
    list.push_back(name_version(name, CL_MAKE_VERSION(3, 0, 0)));
  for (const char* name : kFloatAtomicFeatures)
    list.push_back(name_version(name, CL_MAKE_VERSION(3, 0, 0)));
  return list;
}

// Its maker and its kind.
bool describe_identity(const Device& device, cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_TYPE:
      return info.value<cl_device_type>(Device::type()), true;
    case CL_DEVICE_VENDOR_ID:
      return info.value<cl_uint>(CpuInfo::get().vendor_id), true;
    case CL_DEVICE_NAME:
      return info.text(Device::name()), true;
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
    case CL_DEVICE_EXTENSIONS:
      return info.text(extension_string(device_extensions())), true;
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
      return info.list(device_extensions()), true;
    case CL_DEVICE_PLATFORM:
      return info.value<cl_platform_id>(Platform::get().handle()), true;
    case CL_DEVICE_AVAILABLE:
      return info.flag(device.available()), true;
    default:
      return false;
  }
}

// What tells it from other devices. Windows has LUIDs, Linux has none.
bool describe_uuid(const Device& device, cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_UUID_KHR:
      return info.value(device_uuid(device)), true;
    case CL_DRIVER_UUID_KHR:
      return info.value(driver_uuid()), true;
    case CL_DEVICE_LUID_VALID_KHR:
      return info.flag(false), true;
    case CL_DEVICE_LUID_KHR:
      return info.value(std::array<cl_uchar, CL_LUID_SIZE_KHR>{}), true;
    case CL_DEVICE_NODE_MASK_KHR:
      return info.value<cl_uint>(0), true;
    default:
      return false;
  }
}

// The programs that it accepts.
bool describe_language(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_OPENCL_C_VERSION:
      return info.text("OpenCL C 1.2 Conclave " CONCLAVE_VERSION), true;
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
      return info.value<cl_version>(CL_MAKE_VERSION(1, 2, 0)), true;
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
      return info.list(language_versions()), true;
    case CL_DEVICE_OPENCL_C_FEATURES:
      return info.list(language_features()), true;
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
      return info.flag(compiler_available()), true;
    case CL_DEVICE_BUILT_IN_KERNELS:
      return info.text(""), true;
    case CL_DEVICE_IL_VERSION:
      return info.text(il_versions()), true;
    case CL_DEVICE_ILS_WITH_VERSION:
      return info.list(ils_with_version()), true;
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
      return info.list(std::vector<cl_name_version>()), true;
    default:
      return false;
  }
}

// Units and sizes of work, and how commands run.
bool describe_execution(const Device& device, cl_device_info name, const Info& info) {
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
    // Each runs until the next barrier of the work-group, one after the other.
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
      return info.flag(false), true;
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
      return info.list(std::vector<size_t>(std::begin(kSubGroupSizes), std::end(kSubGroupSizes))),
             true;
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
      return info.flag(true), true;
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      return info.value<size_t>(Device::kMaxParameterBytes), true;
    case CL_DEVICE_EXECUTION_CAPABILITIES:
      return info.value<cl_device_exec_capabilities>(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL), true;
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
      return info.value<cl_command_queue_properties>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                     CL_QUEUE_PROFILING_ENABLE |
                                                     CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI),
             true;
    case CL_DEVICE_TERMINATE_CAPABILITY_KHR:
    case kOldTerminateCapability:
      return info.value<cl_device_terminate_capability_khr>(
                 CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR),
             true;
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
      return info.value<size_t>(1), true;
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
      return info.value<size_t>(1 << 20), true;
    default:
      return false;
  }
}

// Formats and precision of numbers, and atomic operations.
bool describe_arithmetic(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_ADDRESS_BITS:
      return info.value<cl_uint>(8 * sizeof(void*)), true;
    case CL_DEVICE_ENDIAN_LITTLE:
      return info.flag(true), true;
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return info.value<cl_device_fp_config>(kFloatConfig | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
             true;
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_HALF_FP_CONFIG:
      return info.value<cl_device_fp_config>(kFloatConfig), true;
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: {
      cl_device_atomic_capabilities all =
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
          CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
          CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
      if (name == CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) all |= CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;
      return info.value(all), true;
    }
    case CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT:
    case CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT:
    case CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT:
      return info.value<cl_device_fp_atomic_capabilities_ext>(
                 CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |
                 CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |
                 CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT),
             true;
    default:
      return false;
  }
}

// Preferred and native vector widths, in elements.
cl_uint vector_width(cl_device_info name) {
  switch (name) {
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
      return 16;  // there is no wider vector type
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
      return std::min<cl_uint>(16, cpu_vector_bytes() / 2);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
      return cpu_vector_bytes() / 8;
    default:  // int, float and half, which is computed as float
      return cpu_vector_bytes() / 4;
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

// What functions beside OpenCL C's own there are in kernels.
bool describe_functions(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
      return info.value<cl_device_integer_dot_product_capabilities_khr>(
                 CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
                 CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR),
             true;
    // Packets have operations of the CPU for them (compiler/x86/byte_products.h).
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
      return info.value(cl_device_integer_dot_product_acceleration_properties_khr{
                 CL_TRUE, CL_TRUE, CL_TRUE, CL_TRUE, CL_TRUE, CL_TRUE}),
             true;
    case CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR:
      return info.value<cl_device_kernel_clock_capabilities_khr>(
                 CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR |
                 CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR |
                 CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR),
             true;
    default:
      return false;
  }
}

// Optional features that the device does not have; their queries exist all the same.
bool describe_absent(cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
      return info.value<cl_device_device_enqueue_capabilities>(0), true;
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
      return info.value<cl_command_queue_properties>(0), true;
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
      return info.value<cl_uint>(0), true;
    default:
      return false;
  }
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id handle, cl_device_info name,
                                                size_t size, void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Device& d = device(handle);
    Info info(size, value, size_ret);
    if (!describe_identity(d, name, info) && !describe_uuid(d, name, info) &&
        !describe_language(name, info) && !describe_execution(d, name, info) &&
        !describe_arithmetic(name, info) && !describe_vectors(name, info) &&
        !describe_functions(name, info) && !describe_memory(name, info) &&
        !describe_shared_memory(name, info) && !describe_heaps(name, info) &&
        !describe_images(name, info) && !describe_partition(d, name, info) &&
        !describe_command_buffers(name, info) && !describe_pipes(name, info) &&
        !describe_semaphores(name, info) && !describe_external_memory(name, info) &&
        !describe_spirv(name, info) && !describe_absent(name, info))
      unknown_query(name);
  });
}

}  // extern "C"
