// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <sstream>

#include "api_test.h"

namespace conclave::test {
namespace {

using DeviceTest = ApiTest;

Query query(cl_device_info name) {
  return [name](size_t size, void* value, size_t* ret) {
    return clGetDeviceInfo(device(), name, size, value, ret);
  };
}

template <typename T>
T value_of(cl_device_info name) {
  return info<T>(clGetDeviceInfo, device(), name);
}

template <typename T>
std::vector<T> list(cl_device_info name) {
  std::vector<char> raw = checked_info(query(name), list_of<T>);
  std::vector<T> all(raw.size() / sizeof(T));
  if (!raw.empty()) std::memcpy(all.data(), raw.data(), all.size() * sizeof(T));
  return all;
}

std::vector<std::string> names(const std::vector<cl_name_version>& all) {
  std::vector<std::string> result;
  for (const cl_name_version& entry : all) result.push_back(entry.name);
  return result;
}

template <typename T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

struct NamedQuery {
  const char* label;
  cl_device_info name;
  InfoSize size;
};
#define INFO(name, size) {#name, CL_##name, size}

// Every parameter of the OpenCL 3.0 headers' core, the deprecated ones included.
const NamedQuery kQueries[] = {
    INFO(DEVICE_TYPE, one<cl_device_type>),
    INFO(DEVICE_VENDOR_ID, one<cl_uint>),
    INFO(DEVICE_MAX_COMPUTE_UNITS, one<cl_uint>),
    INFO(DEVICE_MAX_WORK_ITEM_DIMENSIONS, one<cl_uint>),
    INFO(DEVICE_MAX_WORK_GROUP_SIZE, one<size_t>),
    INFO(DEVICE_MAX_WORK_ITEM_SIZES, list_of<size_t>),
    INFO(DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, one<cl_uint>),
    INFO(DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, one<cl_uint>),
    INFO(DEVICE_PREFERRED_VECTOR_WIDTH_INT, one<cl_uint>),
    INFO(DEVICE_PREFERRED_VECTOR_WIDTH_LONG, one<cl_uint>),
    INFO(DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, one<cl_uint>),
    INFO(DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, one<cl_uint>),
    INFO(DEVICE_PREFERRED_VECTOR_WIDTH_HALF, one<cl_uint>),
    INFO(DEVICE_NATIVE_VECTOR_WIDTH_CHAR, one<cl_uint>),
    INFO(DEVICE_NATIVE_VECTOR_WIDTH_SHORT, one<cl_uint>),
    INFO(DEVICE_NATIVE_VECTOR_WIDTH_INT, one<cl_uint>),
    INFO(DEVICE_NATIVE_VECTOR_WIDTH_LONG, one<cl_uint>),
    INFO(DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, one<cl_uint>),
    INFO(DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, one<cl_uint>),
    INFO(DEVICE_NATIVE_VECTOR_WIDTH_HALF, one<cl_uint>),
    INFO(DEVICE_MAX_CLOCK_FREQUENCY, one<cl_uint>),
    INFO(DEVICE_ADDRESS_BITS, one<cl_uint>),
    INFO(DEVICE_MAX_MEM_ALLOC_SIZE, one<cl_ulong>),
    INFO(DEVICE_IMAGE_SUPPORT, one<cl_bool>),
    INFO(DEVICE_MAX_READ_IMAGE_ARGS, one<cl_uint>),
    INFO(DEVICE_MAX_WRITE_IMAGE_ARGS, one<cl_uint>),
    INFO(DEVICE_MAX_READ_WRITE_IMAGE_ARGS, one<cl_uint>),
    INFO(DEVICE_IL_VERSION, text),
    INFO(DEVICE_ILS_WITH_VERSION, list_of<cl_name_version>),
    INFO(DEVICE_IMAGE2D_MAX_WIDTH, one<size_t>),
    INFO(DEVICE_IMAGE2D_MAX_HEIGHT, one<size_t>),
    INFO(DEVICE_IMAGE3D_MAX_WIDTH, one<size_t>),
    INFO(DEVICE_IMAGE3D_MAX_HEIGHT, one<size_t>),
    INFO(DEVICE_IMAGE3D_MAX_DEPTH, one<size_t>),
    INFO(DEVICE_IMAGE_MAX_BUFFER_SIZE, one<size_t>),
    INFO(DEVICE_IMAGE_MAX_ARRAY_SIZE, one<size_t>),
    INFO(DEVICE_MAX_SAMPLERS, one<cl_uint>),
    INFO(DEVICE_IMAGE_PITCH_ALIGNMENT, one<cl_uint>),
    INFO(DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, one<cl_uint>),
    INFO(DEVICE_MAX_PIPE_ARGS, one<cl_uint>),
    INFO(DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, one<cl_uint>),
    INFO(DEVICE_PIPE_MAX_PACKET_SIZE, one<cl_uint>),
    INFO(DEVICE_MAX_PARAMETER_SIZE, one<size_t>),
    INFO(DEVICE_MEM_BASE_ADDR_ALIGN, one<cl_uint>),
    INFO(DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, one<cl_uint>),
    INFO(DEVICE_SINGLE_FP_CONFIG, one<cl_device_fp_config>),
    INFO(DEVICE_DOUBLE_FP_CONFIG, one<cl_device_fp_config>),
    INFO(DEVICE_GLOBAL_MEM_CACHE_TYPE, one<cl_device_mem_cache_type>),
    INFO(DEVICE_GLOBAL_MEM_CACHELINE_SIZE, one<cl_uint>),
    INFO(DEVICE_GLOBAL_MEM_CACHE_SIZE, one<cl_ulong>),
    INFO(DEVICE_GLOBAL_MEM_SIZE, one<cl_ulong>),
    INFO(DEVICE_MAX_CONSTANT_BUFFER_SIZE, one<cl_ulong>),
    INFO(DEVICE_MAX_CONSTANT_ARGS, one<cl_uint>),
    INFO(DEVICE_MAX_GLOBAL_VARIABLE_SIZE, one<size_t>),
    INFO(DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, one<size_t>),
    INFO(DEVICE_LOCAL_MEM_TYPE, one<cl_device_local_mem_type>),
    INFO(DEVICE_LOCAL_MEM_SIZE, one<cl_ulong>),
    INFO(DEVICE_ERROR_CORRECTION_SUPPORT, one<cl_bool>),
    INFO(DEVICE_HOST_UNIFIED_MEMORY, one<cl_bool>),
    INFO(DEVICE_PROFILING_TIMER_RESOLUTION, one<size_t>),
    INFO(DEVICE_ENDIAN_LITTLE, one<cl_bool>),
    INFO(DEVICE_AVAILABLE, one<cl_bool>),
    INFO(DEVICE_COMPILER_AVAILABLE, one<cl_bool>),
    INFO(DEVICE_LINKER_AVAILABLE, one<cl_bool>),
    INFO(DEVICE_EXECUTION_CAPABILITIES, one<cl_device_exec_capabilities>),
    INFO(DEVICE_QUEUE_ON_HOST_PROPERTIES, one<cl_command_queue_properties>),
    INFO(DEVICE_QUEUE_ON_DEVICE_PROPERTIES, one<cl_command_queue_properties>),
    INFO(DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, one<cl_uint>),
    INFO(DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, one<cl_uint>),
    INFO(DEVICE_MAX_ON_DEVICE_QUEUES, one<cl_uint>),
    INFO(DEVICE_MAX_ON_DEVICE_EVENTS, one<cl_uint>),
    INFO(DEVICE_BUILT_IN_KERNELS, text),
    INFO(DEVICE_BUILT_IN_KERNELS_WITH_VERSION, list_of<cl_name_version>),
    INFO(DEVICE_PLATFORM, one<cl_platform_id>),
    INFO(DEVICE_NAME, text),
    INFO(DEVICE_VENDOR, text),
    INFO(DRIVER_VERSION, text),
    INFO(DEVICE_PROFILE, text),
    INFO(DEVICE_VERSION, text),
    INFO(DEVICE_NUMERIC_VERSION, one<cl_version>),
    INFO(DEVICE_OPENCL_C_VERSION, text),
    INFO(DEVICE_OPENCL_C_ALL_VERSIONS, list_of<cl_name_version>),
    INFO(DEVICE_OPENCL_C_FEATURES, list_of<cl_name_version>),
    INFO(DEVICE_EXTENSIONS, text),
    INFO(DEVICE_EXTENSIONS_WITH_VERSION, list_of<cl_name_version>),
    INFO(DEVICE_PRINTF_BUFFER_SIZE, one<size_t>),
    INFO(DEVICE_PREFERRED_INTEROP_USER_SYNC, one<cl_bool>),
    INFO(DEVICE_PARENT_DEVICE, one<cl_device_id>),
    INFO(DEVICE_PARTITION_MAX_SUB_DEVICES, one<cl_uint>),
    INFO(DEVICE_PARTITION_PROPERTIES, list_of<cl_device_partition_property>),
    INFO(DEVICE_PARTITION_AFFINITY_DOMAIN, one<cl_device_affinity_domain>),
    INFO(DEVICE_PARTITION_TYPE, list_of<cl_device_partition_property>),
    INFO(DEVICE_REFERENCE_COUNT, one<cl_uint>),
    INFO(DEVICE_SVM_CAPABILITIES, one<cl_device_svm_capabilities>),
    INFO(DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, one<cl_uint>),
    INFO(DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, one<cl_uint>),
    INFO(DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, one<cl_uint>),
    INFO(DEVICE_MAX_NUM_SUB_GROUPS, one<cl_uint>),
    INFO(DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, one<cl_bool>),
    INFO(DEVICE_ATOMIC_MEMORY_CAPABILITIES, one<cl_device_atomic_capabilities>),
    INFO(DEVICE_ATOMIC_FENCE_CAPABILITIES, one<cl_device_atomic_capabilities>),
    INFO(DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, one<cl_bool>),
    INFO(DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, one<cl_bool>),
    INFO(DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, one<cl_bool>),
    INFO(DEVICE_DEVICE_ENQUEUE_CAPABILITIES, one<cl_device_device_enqueue_capabilities>),
    INFO(DEVICE_PIPE_SUPPORT, one<cl_bool>),
    INFO(DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, one<size_t>),
    INFO(DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, text),
};

TEST_F(DeviceTest, EveryQueryHasTheRightSize) {
  for (const NamedQuery& row : kQueries) {
    SCOPED_TRACE(row.label);
    checked_info(query(row.name), row.size);
  }
}

// The minima of a FULL_PROFILE device that is not of type CUSTOM.
TEST_F(DeviceTest, MeetsTheMinimaOfTheFullProfile) {
  EXPECT_GE(value_of<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  EXPECT_EQ(3u, value_of<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS));
  auto sizes = list<size_t>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  ASSERT_EQ(3u, sizes.size());
  for (size_t size : sizes) EXPECT_GE(size, 1u);
  EXPECT_GE(value_of<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1u);
  EXPECT_EQ(sizeof(void*) * 8, value_of<cl_uint>(CL_DEVICE_ADDRESS_BITS));
  cl_ulong global = value_of<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  cl_ulong most = value_of<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  EXPECT_GE(most, std::max<cl_ulong>(std::min<cl_ulong>(1 << 30, global / 4), 32 << 20));
  EXPECT_LE(most, global);
  EXPECT_GE(value_of<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 1024u);
  EXPECT_GE(value_of<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 1024u) << "bits of a long16";
  EXPECT_GE(value_of<cl_uint>(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE), 128u) << "bytes of a long16";
  EXPECT_GE(value_of<cl_ulong>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), 64u << 10);
  EXPECT_GE(value_of<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS), 8u);
  EXPECT_GE(value_of<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), 32u << 10);
  EXPECT_GE(value_of<size_t>(CL_DEVICE_PRINTF_BUFFER_SIZE), 1u << 20);
  auto single = value_of<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG);
  EXPECT_EQ(CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN,
            single & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN));
  EXPECT_TRUE(value_of<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE));
  EXPECT_TRUE(value_of<cl_bool>(CL_DEVICE_LINKER_AVAILABLE));
  EXPECT_TRUE(value_of<cl_bool>(CL_DEVICE_AVAILABLE));
  EXPECT_TRUE(value_of<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES) &
              CL_EXEC_KERNEL);
  EXPECT_TRUE(value_of<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) &
              CL_QUEUE_PROFILING_ENABLE);
  EXPECT_NE(0u, value_of<size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
  EXPECT_EQ(platform(), value_of<cl_platform_id>(CL_DEVICE_PLATFORM));
  EXPECT_EQ(nullptr, value_of<cl_device_id>(CL_DEVICE_PARENT_DEVICE));
  EXPECT_EQ(1u, value_of<cl_uint>(CL_DEVICE_REFERENCE_COUNT));
}

TEST_F(DeviceTest, NamesAndVersions) {
  EXPECT_NE("", device_text(device(), CL_DEVICE_NAME));
  EXPECT_NE("", device_text(device(), CL_DEVICE_VENDOR));
  EXPECT_NE("", device_text(device(), CL_DRIVER_VERSION));
  EXPECT_EQ("FULL_PROFILE", device_text(device(), CL_DEVICE_PROFILE));
  EXPECT_EQ(0u, device_text(device(), CL_DEVICE_VERSION).rfind("OpenCL 3.0 ", 0));
  // "the OpenCL C version ... must be OpenCL C 1.2 for an OpenCL 3.0 device" or newer.
  EXPECT_EQ(0u, device_text(device(), CL_DEVICE_OPENCL_C_VERSION).rfind("OpenCL C ", 0));
  EXPECT_EQ(3u, CL_VERSION_MAJOR(value_of<cl_version>(CL_DEVICE_NUMERIC_VERSION)));
  std::vector<cl_version> versions;
  for (const auto& entry : list<cl_name_version>(CL_DEVICE_OPENCL_C_ALL_VERSIONS)) {
    EXPECT_STREQ("OpenCL C", entry.name);
    versions.push_back(entry.version);
  }
  for (cl_version needed : {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0),
                            CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(3, 0, 0)}) {
    EXPECT_TRUE(contains(versions, static_cast<cl_version>(needed)))
        << CL_VERSION_MAJOR(needed) << "." << CL_VERSION_MINOR(needed);
  }
}

// Programs search these texts for "1.0" and the like, wherever it stands.
TEST_F(DeviceTest, NoTextReadsAsAnotherVersionOfOpenCl) {
  CONCLAVE_ONLY();
  const auto versions_in = [](const std::string& text) {
    std::string found;
    for (const char* version : {"1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0"})
      for (size_t at = text.find(version); at != std::string::npos; at = text.find(version, at + 1))
        found += std::string(found.empty() ? "" : " ") + version;
    return found;
  };
  std::string platform_version(100, '\0');
  EXPECT_OK(clGetPlatformInfo(platform(), CL_PLATFORM_VERSION, platform_version.size(),
                              platform_version.data(), nullptr));
  EXPECT_EQ("3.0", versions_in(platform_version));
  EXPECT_EQ("3.0", versions_in(device_text(device(), CL_DEVICE_VERSION)));
  EXPECT_EQ("", versions_in(device_text(device(), CL_DRIVER_VERSION)));
  EXPECT_EQ("1.2", versions_in(device_text(device(), CL_DEVICE_OPENCL_C_VERSION)));
}

TEST_F(DeviceTest, BothExtensionListsAgree) {
  std::istringstream stream(device_text(device(), CL_DEVICE_EXTENSIONS));
  std::vector<std::string> plain;
  for (std::string name; stream >> name;) plain.push_back(name);
  std::vector<std::string> versioned =
      names(list<cl_name_version>(CL_DEVICE_EXTENSIONS_WITH_VERSION));
  for (const char* needed :
       {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics"}) {
    EXPECT_TRUE(contains(plain, std::string(needed))) << needed;
  }
  std::sort(plain.begin(), plain.end());
  std::sort(versioned.begin(), versioned.end());
  EXPECT_EQ(plain, versioned);
}

// What one query says about an optional feature has to agree with what the others say.
TEST_F(DeviceTest, FeatureListAgreesWithTheFlags) {
  std::vector<std::string> features = names(list<cl_name_version>(CL_DEVICE_OPENCL_C_FEATURES));
  auto has = [&](const char* name) { return contains(features, std::string(name)); };
  EXPECT_TRUE(has("__opencl_c_int64")) << "mandatory in the full profile";
  EXPECT_EQ(has("__opencl_c_fp64"), value_of<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG) != 0);
  EXPECT_EQ(has("__opencl_c_images"), value_of<cl_bool>(CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has("__opencl_c_pipes"), value_of<cl_bool>(CL_DEVICE_PIPE_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has("__opencl_c_subgroups"), value_of<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0);
  EXPECT_EQ(has("__opencl_c_generic_address_space"),
            value_of<cl_bool>(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has("__opencl_c_work_group_collective_functions"),
            value_of<cl_bool>(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT) == CL_TRUE);
  EXPECT_EQ(has("__opencl_c_program_scope_global_variables"),
            value_of<size_t>(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) != 0);
  EXPECT_EQ(has("__opencl_c_device_enqueue"), value_of<cl_device_device_enqueue_capabilities>(
                                                  CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != 0);
  auto atomics = value_of<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
  cl_device_atomic_capabilities least =
      CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  EXPECT_EQ(least, atomics & least);
  EXPECT_EQ(has("__opencl_c_atomic_order_acq_rel"),
            (atomics & CL_DEVICE_ATOMIC_ORDER_ACQ_REL) != 0);
  EXPECT_EQ(has("__opencl_c_atomic_order_seq_cst"),
            (atomics & CL_DEVICE_ATOMIC_ORDER_SEQ_CST) != 0);
  EXPECT_EQ(has("__opencl_c_atomic_scope_device"), (atomics & CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0);
  EXPECT_EQ(has("__opencl_c_atomic_scope_all_devices"),
            (atomics & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES) != 0);
}

// What this device promises beyond the minima.
TEST_F(DeviceTest, ConclaveDevice) {
  CONCLAVE_ONLY();
  EXPECT_EQ(static_cast<cl_device_type>(CL_DEVICE_TYPE_CPU),
            value_of<cl_device_type>(CL_DEVICE_TYPE));
  EXPECT_GE(value_of<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 16384u);
  EXPECT_GE(list<size_t>(CL_DEVICE_MAX_WORK_ITEM_SIZES).at(0), 16384u);
  EXPECT_EQ(
      CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL,
      static_cast<int>(value_of<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES)));
  EXPECT_TRUE(value_of<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) &
              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  EXPECT_TRUE(value_of<cl_bool>(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT));
  EXPECT_TRUE(value_of<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY));
  if (const char* units = std::getenv("CONCLAVE_COMPUTE_UNITS")) {
    EXPECT_EQ(std::stoul(units), value_of<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
  }
  // fp64 of an OpenCL 3.0 device: all of these.
  cl_device_fp_config full = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
  EXPECT_EQ(full, value_of<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG) & full);
}

TEST_F(DeviceTest, RetainAndReleaseDoNotChangeARootDevice) {
  EXPECT_OK(clReleaseDevice(device()));
  EXPECT_OK(clRetainDevice(device()));
  EXPECT_OK(clReleaseDevice(device()));
  EXPECT_EQ(1u, value_of<cl_uint>(CL_DEVICE_REFERENCE_COUNT));
}

TEST_F(DeviceTest, TimersWhereThePlatformHasThem) {
  cl_ulong host = 0, on_device = 0, later = 0;
  auto resolution =
      info<cl_ulong>(clGetPlatformInfo, platform(), CL_PLATFORM_HOST_TIMER_RESOLUTION);
  if (resolution == 0) {
    expect_all({
        BAD(CL_INVALID_OPERATION, clGetDeviceAndHostTimer(device(), &on_device, &host)),
        BAD(CL_INVALID_OPERATION, clGetHostTimer(device(), &host)),
    });
    return;
  }
  EXPECT_OK(clGetDeviceAndHostTimer(device(), &on_device, &host));
  EXPECT_OK(clGetHostTimer(device(), &later));
  EXPECT_NE(0u, host);
  EXPECT_NE(0u, on_device);
  EXPECT_LE(host, later);
  expect_all({
      BAD(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device(), nullptr, &host)),
      BAD(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device(), &host, nullptr)),
      BAD(CL_INVALID_VALUE, clGetHostTimer(device(), nullptr)),
  });
}

TEST_F(DeviceTest, BadArgumentsAreRefused) {
  cl_ulong value = 0;
  expect_all({
      BAD(CL_INVALID_DEVICE, clGetDeviceInfo(nullptr, CL_DEVICE_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetDeviceInfo(device(), 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetDeviceInfo(device(), CL_PLATFORM_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetDeviceInfo(device(), CL_DEVICE_NAME, 0, &value, nullptr)),
      BAD(CL_INVALID_DEVICE, clRetainDevice(nullptr)),
      BAD(CL_INVALID_DEVICE, clReleaseDevice(nullptr)),
      BAD(CL_INVALID_DEVICE, clGetDeviceAndHostTimer(nullptr, &value, &value)),
      BAD(CL_INVALID_DEVICE, clGetHostTimer(nullptr, &value)),
  });
}

}  // namespace
}  // namespace conclave::test
