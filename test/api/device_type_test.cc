// SPDX-License-Identifier: Apache-2.0
// The device has one type in a process: the one under which the program first got it, or the
// configured one. Each case needs a process that has not asked yet.
#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

constexpr cl_device_type kCpu = CL_DEVICE_TYPE_CPU, kGpu = CL_DEVICE_TYPE_GPU,
                         kAccelerator = CL_DEVICE_TYPE_ACCELERATOR;

// The platform, by its name only: no device is asked for.
cl_platform_id untouched_platform() {
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    char name[64] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::string(name) == "Conclave") return platform;
  }
  return nullptr;
}

bool has(cl_device_type type) {
  cl_device_id found = nullptr;
  cl_uint count = 7;
  const cl_int status = clGetDeviceIDs(untouched_platform(), type, 1, &found, &count);
  return status == CL_SUCCESS && found && count == 1;
}

bool counts(cl_device_type type) {
  cl_uint count = 7;
  const cl_int status = clGetDeviceIDs(untouched_platform(), type, 0, nullptr, &count);
  return status == CL_SUCCESS && count == 1;
}

bool makes_context(cl_device_type type) {
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(untouched_platform()), 0};
  cl_int status = 0;
  cl_context context = clCreateContextFromType(properties, type, nullptr, nullptr, &status);
  if (context) clReleaseContext(context);
  return status == CL_SUCCESS;
}

// What a device that the program already has reports. Parts of it report the same.
cl_device_type reported() {
  cl_device_id device = nullptr, part = nullptr;
  clGetDeviceIDs(untouched_platform(), CL_DEVICE_TYPE_DEFAULT, 1, &device, nullptr);
  if (!device) clGetDeviceIDs(untouched_platform(), CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  cl_device_type type = 0, type_of_part = 0;
  clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  clCreateSubDevices(device, counts, 1, &part, nullptr);
  clGetDeviceInfo(part, CL_DEVICE_TYPE, sizeof type_of_part, &type_of_part, nullptr);
  clReleaseDevice(part);
  return type == type_of_part ? type : 0;
}

int is_cpu_only() {
  CHECK(reported() == kCpu);
  CHECK(has(kCpu) && has(CL_DEVICE_TYPE_ALL) && has(CL_DEVICE_TYPE_DEFAULT) && has(kCpu | kGpu));
  CHECK(!has(kAccelerator) && !has(kGpu) && !has(CL_DEVICE_TYPE_CUSTOM));
  CHECK(!counts(kAccelerator) && !makes_context(kAccelerator) && makes_context(kCpu));
  return 0;
}

int is_accelerator_only() {
  CHECK(reported() == kAccelerator);
  CHECK(has(kAccelerator) && has(CL_DEVICE_TYPE_ALL) && has(CL_DEVICE_TYPE_DEFAULT));
  CHECK(!has(kCpu) && !has(kGpu) && !counts(kCpu) && !makes_context(kCpu));
  CHECK(makes_context(kAccelerator));
  return 0;
}

CHILD_PROCESS(type_all) {
  CHECK(has(CL_DEVICE_TYPE_ALL));
  return is_cpu_only();
}
CHILD_PROCESS(type_default) {
  CHECK(has(CL_DEVICE_TYPE_DEFAULT));
  return is_cpu_only();
}
CHILD_PROCESS(type_cpu) {
  CHECK(has(kCpu));
  return is_cpu_only();
}
CHILD_PROCESS(type_either) {
  CHECK(has(kAccelerator | kCpu));
  return is_cpu_only();
}
// What is not there decides nothing, and neither does counting.
CHILD_PROCESS(type_after_other_questions) {
  CHECK(!has(kGpu) && counts(kAccelerator) && counts(CL_DEVICE_TYPE_ALL));
  CHECK(has(kCpu));
  return is_cpu_only();
}
CHILD_PROCESS(type_accelerator) {
  CHECK(counts(kCpu));
  CHECK(has(kAccelerator));
  return is_accelerator_only();
}
CHILD_PROCESS(type_accelerator_context) {
  CHECK(makes_context(kAccelerator));
  return is_accelerator_only();
}
CHILD_PROCESS(type_list) {
  CHECK(has(kAccelerator) && has(kCpu) && !has(kGpu) && reported() == kCpu);
  return 0;
}
CHILD_PROCESS(type_gpu) {
  CHECK(has(kGpu) && has(CL_DEVICE_TYPE_ALL) && has(CL_DEVICE_TYPE_DEFAULT) && !has(kCpu));
  CHECK(!has(kAccelerator) && reported() == kGpu);
  return 0;
}

void expect_success(const char* child, const char* configured = nullptr) {
  std::vector<std::pair<std::string, std::string>> environment;
  if (configured) environment.emplace_back("CONCLAVE_DEVICE_TYPE", configured);
  const ChildResult result = run_child(child, environment);
  EXPECT_EQ(0, result.exit_status) << result.output;
}

TEST(DeviceTypeTest, IsWhatWasFirstAskedFor) {
  CONCLAVE_ONLY();
  for (const char* child :
       {"type_all", "type_default", "type_cpu", "type_either", "type_after_other_questions",
        "type_accelerator", "type_accelerator_context"})
    expect_success(child);
}

TEST(DeviceTypeTest, IsWhatTheConfigurationSays) {
  CONCLAVE_ONLY();
  expect_success("type_list", "accelerator,cpu");
  expect_success("type_gpu", "gpu");
  expect_success("type_accelerator_context", "accelerator");
  expect_success("type_all", "cpu");
  expect_success("type_accelerator", "auto");
}

}  // namespace
}  // namespace conclave::test
