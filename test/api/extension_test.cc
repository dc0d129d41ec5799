// SPDX-License-Identifier: Apache-2.0
// Functions of the extensions that the platform reports, obtained as programs obtain them.
#include <array>
#include <cstdio>
#include <cstring>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

class ExtensionTest : public ApiTest {
 protected:
  static bool has(const char* extension) {
    return (" " + device_text(device(), CL_DEVICE_EXTENSIONS) + " ")
               .find(" " + std::string(extension) + " ") != std::string::npos;
  }
  // The function of that name and type, or null.
  template <typename Function>
  static Function get(const char* name) {
    return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform(), name));
  }
};

TEST_F(ExtensionTest, ReportedExtensionsHaveTheirFunctions) {
  const std::pair<const char*, std::vector<const char*>> kExtensions[] = {
      {"cl_ext_device_fission",
       {"clCreateSubDevicesEXT", "clRetainDeviceEXT", "clReleaseDeviceEXT"}},
      {"cl_khr_create_command_queue", {"clCreateCommandQueueWithPropertiesKHR"}},
      {"cl_khr_suggested_local_work_size", {"clGetKernelSuggestedLocalWorkSizeKHR"}},
      {"cl_khr_il_program", {"clCreateProgramWithILKHR"}},
      {"cl_khr_terminate_context", {"clTerminateContextKHR"}},
      {"cl_khr_semaphore",
       {"clCreateSemaphoreWithPropertiesKHR", "clEnqueueWaitSemaphoresKHR",
        "clEnqueueSignalSemaphoresKHR", "clGetSemaphoreInfoKHR", "clRetainSemaphoreKHR",
        "clReleaseSemaphoreKHR"}},
      {"cl_khr_external_semaphore", {"clGetSemaphoreHandleForTypeKHR"}},
      {"cl_khr_external_memory",
       {"clEnqueueAcquireExternalMemObjectsKHR", "clEnqueueReleaseExternalMemObjectsKHR"}},
      {"cl_khr_subgroups", {"clGetKernelSubGroupInfoKHR"}},
      {"cl_khr_command_buffer",
       {"clCreateCommandBufferKHR", "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR",
        "clRetainCommandBufferKHR", "clReleaseCommandBufferKHR", "clGetCommandBufferInfoKHR",
        "clCommandBarrierWithWaitListKHR", "clCommandCopyBufferKHR", "clCommandCopyBufferRectKHR",
        "clCommandCopyBufferToImageKHR", "clCommandCopyImageKHR", "clCommandCopyImageToBufferKHR",
        "clCommandFillBufferKHR", "clCommandFillImageKHR", "clCommandNDRangeKernelKHR",
        "clCommandSVMMemcpyKHR", "clCommandSVMMemFillKHR"}},
      {"cl_khr_command_buffer_mutable_dispatch",
       {"clUpdateMutableCommandsKHR", "clGetMutableCommandInfoKHR"}},
  };
  for (const auto& [extension, functions] : kExtensions) {
    if (!has(extension)) continue;
    for (const char* name : functions) EXPECT_NE(nullptr, get<void*>(name)) << name;
  }
}

TEST_F(ExtensionTest, SuggestedLocalWorkSize) {
  auto suggest =
      get<clGetKernelSuggestedLocalWorkSizeKHR_fn>("clGetKernelSuggestedLocalWorkSizeKHR");
  if (!suggest) GTEST_SKIP();
  Buffer out = make_buffer(context_, 4096);
  Kernel sizes = kernel("local_sizes"), fixed = kernel("fixed"), unset = kernel("add");
  ASSERT_OK(clSetKernelArg(sizes, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(fixed, 0, sizeof(cl_mem), out.list()));
  const size_t kGlobal[] = {1000}, kWide[] = {16, 4};
  size_t local[3] = {};
  ASSERT_OK(suggest(queue_, sizes, 1, nullptr, kGlobal, local));
  EXPECT_GE(local[0], 1u);
  // "expected to match the local work size that would be chosen" by an enqueue without one.
  ASSERT_OK(
      clEnqueueNDRangeKernel(queue_, sizes, 1, nullptr, kGlobal, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(local[0], static_cast<size_t>(contents(queue_, out, 1)[0]));
  ASSERT_OK(suggest(queue_, fixed, 2, nullptr, kWide, local));
  EXPECT_EQ(8u, local[0]);
  EXPECT_EQ(2u, local[1]);

  Context other_context = make_context();
  Queue other_queue = make_queue(other_context);
  const size_t kZero[] = {0}, kFar[] = {SIZE_MAX - 8};
  expect_all({
      BAD(CL_INVALID_COMMAND_QUEUE, suggest(nullptr, sizes, 1, nullptr, kGlobal, local)),
      BAD(CL_INVALID_KERNEL, suggest(queue_, nullptr, 1, nullptr, kGlobal, local)),
      BAD(CL_INVALID_CONTEXT, suggest(other_queue, sizes, 1, nullptr, kGlobal, local)),
      BAD(CL_INVALID_KERNEL_ARGS, suggest(queue_, unset, 1, nullptr, kGlobal, local)),
      BAD(CL_INVALID_WORK_DIMENSION, suggest(queue_, sizes, 0, nullptr, kGlobal, local)),
      BAD(CL_INVALID_WORK_DIMENSION, suggest(queue_, sizes, 4, nullptr, kGlobal, local)),
      BAD(CL_INVALID_GLOBAL_OFFSET, suggest(queue_, sizes, 1, kFar, kGlobal, local)),
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, suggest(queue_, sizes, 1, nullptr, nullptr, local)),
      BAD(CL_INVALID_GLOBAL_WORK_SIZE, suggest(queue_, sizes, 1, nullptr, kZero, local)),
      BAD(CL_INVALID_VALUE, suggest(queue_, sizes, 1, nullptr, kGlobal, nullptr)),
  });
}

TEST_F(ExtensionTest, CreateCommandQueueWithProperties) {
  auto create =
      get<clCreateCommandQueueWithPropertiesKHR_fn>("clCreateCommandQueueWithPropertiesKHR");
  if (!create) GTEST_SKIP();
  const cl_queue_properties_khr kProperties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int err = 1;
  Queue queue(create(context_, device(), kProperties, &err));
  ASSERT_OK(err);
  EXPECT_EQ(static_cast<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE),
            info<cl_command_queue_properties>(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES));
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, create(nullptr, device(), kProperties, err)),
      BAD_CREATE(CL_INVALID_DEVICE, create(context_, nullptr, kProperties, err)),
  });
}

TEST_F(ExtensionTest, DeviceFission) {
  if (!has("cl_ext_device_fission")) GTEST_SKIP();
  auto create = get<clCreateSubDevicesEXT_fn>("clCreateSubDevicesEXT");
  auto retain = get<clRetainDeviceEXT_fn>("clRetainDeviceEXT");
  auto give_back = get<clReleaseDeviceEXT_fn>("clReleaseDeviceEXT");
  ASSERT_NE(nullptr, create);
  ASSERT_NE(nullptr, retain);
  ASSERT_NE(nullptr, give_back);
  using Property = cl_device_partition_property_ext;
  const Property kCounts[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 1, 2,
                              CL_PARTITION_BY_COUNTS_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT};
  const Property kNames[] = {CL_DEVICE_PARTITION_BY_NAMES_EXT, 0, 3,
                             CL_PARTITION_BY_NAMES_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT};
  if (info<cl_uint>(clGetDeviceInfo, device(), CL_DEVICE_MAX_COMPUTE_UNITS) < 4) {
    GTEST_SKIP() << "needs four compute units";
  }
  cl_uint count = 0;
  cl_device_id raw[2] = {};
  ASSERT_OK(create(device(), kCounts, 2, raw, &count));
  ASSERT_EQ(2u, count);
  Device one_unit(raw[0]), two_units(raw[1]);
  EXPECT_EQ(2u, info<cl_uint>(clGetDeviceInfo, two_units, CL_DEVICE_MAX_COMPUTE_UNITS));
  EXPECT_EQ(device(), info<cl_device_id>(clGetDeviceInfo, one_unit, CL_DEVICE_PARENT_DEVICE_EXT));
  std::vector<char> style = checked_info(
      [&](size_t size, void* value, size_t* ret) {
        return clGetDeviceInfo(two_units, CL_DEVICE_PARTITION_STYLE_EXT, size, value, ret);
      },
      list_of<Property>);
  ASSERT_EQ(sizeof kCounts, style.size());
  EXPECT_EQ(0, std::memcmp(style.data(), kCounts, sizeof kCounts));
  EXPECT_OK(retain(one_unit));
  EXPECT_EQ(2u, info<cl_uint>(clGetDeviceInfo, one_unit, CL_DEVICE_REFERENCE_COUNT_EXT));
  EXPECT_OK(give_back(one_unit));
  ASSERT_OK(create(device(), kNames, 1, raw, &count));
  Device named(raw[0]);
  EXPECT_EQ(2u, info<cl_uint>(clGetDeviceInfo, named, CL_DEVICE_MAX_COMPUTE_UNITS));

  const Property kTooMany[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 1000,
                               CL_PARTITION_BY_COUNTS_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT};
  const Property kNoSuchName[] = {CL_DEVICE_PARTITION_BY_NAMES_EXT, 1000,
                                  CL_PARTITION_BY_NAMES_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT};
  const Property kEqually[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, CL_PROPERTIES_LIST_END_EXT};
  const Property kUnknown[] = {0x7777, 1, CL_PROPERTIES_LIST_END_EXT};
  expect_all({
      BAD(CL_INVALID_DEVICE, create(nullptr, kCounts, 2, raw, &count)),
      BAD(CL_INVALID_VALUE, create(device(), nullptr, 2, raw, &count)),
      BAD(CL_INVALID_VALUE, create(device(), kUnknown, 2, raw, &count)),
      BAD(CL_INVALID_VALUE, create(device(), kCounts, 1, raw, &count)),
      BAD(CL_INVALID_PARTITION_COUNT_EXT, create(device(), kTooMany, 2, raw, &count)),
      BAD(CL_INVALID_PARTITION_NAME_EXT, create(device(), kNoSuchName, 2, raw, &count)),
      BAD(CL_DEVICE_PARTITION_FAILED_EXT, create(one_unit, kEqually, 2, raw, &count)),
  });
}

using Uuid = std::array<cl_uchar, CL_UUID_SIZE_KHR>;

Uuid uuid_of(cl_device_id device, cl_device_info name) {
  return info<Uuid>(clGetDeviceInfo, device, name);
}

std::string digits(const Uuid& uuid) {
  std::string text;
  for (const cl_uchar byte : uuid) text += std::to_string(byte) + ' ';
  return text;
}

CHILD_PROCESS(print_uuids) {
  std::fputs(digits(uuid_of(device(), CL_DEVICE_UUID_KHR)).c_str(), stdout);
  std::fputs(digits(uuid_of(device(), CL_DRIVER_UUID_KHR)).c_str(), stdout);
  return 0;
}

// The same for all processes, and none other's.
TEST_F(ExtensionTest, DeviceUuid) {
  if (!has("cl_khr_device_uuid")) GTEST_SKIP();
  const Uuid uuid = uuid_of(device(), CL_DEVICE_UUID_KHR);
  const Uuid driver = uuid_of(device(), CL_DRIVER_UUID_KHR);
  EXPECT_NE(uuid, driver);
  for (const Uuid& made : {uuid, driver}) EXPECT_EQ(0x80, made[8] & 0xc0);  // RFC 9562's variant
  EXPECT_FALSE(info<cl_bool>(clGetDeviceInfo, device(), CL_DEVICE_LUID_VALID_KHR));
  const ChildResult other = run_child("print_uuids", {{"TI_OCL_COMPUTE_UNIT_LIST", "0"}});
  EXPECT_EQ(0, other.exit_status) << other.output;
  EXPECT_EQ(digits(uuid) + digits(driver), other.output);
  const cl_device_partition_property kHalves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  cl_device_id raw[2] = {};
  cl_uint count = 0;
  if (clCreateSubDevices(device(), kHalves, 2, raw, &count) != CL_SUCCESS || count != 2) return;
  Device first(raw[0]), second(raw[1]);
  EXPECT_NE(uuid_of(first, CL_DEVICE_UUID_KHR), uuid_of(second, CL_DEVICE_UUID_KHR));
  EXPECT_NE(uuid, uuid_of(first, CL_DEVICE_UUID_KHR));
  EXPECT_EQ(driver, uuid_of(first, CL_DRIVER_UUID_KHR));
}

}  // namespace
}  // namespace conclave::test
