// SPDX-License-Identifier: Apache-2.0
// Features that OpenCL 3.0 makes optional and that this device does not report: their functions
// exist and answer as appendix "OpenCL 3.0 Backwards Compatibility" and the lists of errors say.
#include "api_test.h"

namespace conclave::test {
namespace {

class OptionalFeatureTest : public ApiTest {
 protected:
  template <typename T>
  static T device_info(cl_device_info name) {
    return info<T>(clGetDeviceInfo, device(), name);
  }
};

bool either(cl_int status, cl_int one, cl_int other) {
  return status == one || status == other;
}

TEST_F(OptionalFeatureTest, DeviceSideQueues) {
  if (device_info<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES)) {
    GTEST_SKIP();
  }
  EXPECT_EQ(0u, device_info<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES));
  EXPECT_EQ(0u, device_info<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE));
  EXPECT_EQ(0u, device_info<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE));
  EXPECT_EQ(0u, device_info<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_QUEUES));
  EXPECT_EQ(0u, device_info<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_EVENTS));
}

TEST_F(OptionalFeatureTest, IntermediateLanguage) {
  if (device_text(device(), CL_DEVICE_IL_VERSION) != "") GTEST_SKIP();
  Program program = build(context_, kKernels, "-cl-std=CL3.0");
  const unsigned kSpirv[] = {0x07230203, 0x00010000, 0, 1, 0};
  int value = 1;
  size_t size = 99;
  expect_all({
      BAD_CREATE(CL_INVALID_OPERATION, clCreateProgramWithIL(context_, kSpirv, sizeof kSpirv, err)),
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateProgramWithIL(nullptr, kSpirv, sizeof kSpirv, err)),
      BAD(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(nullptr, 0, sizeof value, &value)),
  });
  // No program from source can be one from IL, so both codes are right.
  cl_int status = clSetProgramSpecializationConstant(program, 0, sizeof value, &value);
  EXPECT_TRUE(either(status, CL_INVALID_OPERATION, CL_INVALID_PROGRAM)) << error_name(status);
  EXPECT_OK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, nullptr, &size));
  EXPECT_EQ(0u, size);
}

TEST_F(OptionalFeatureTest, SubGroups) {
  if (device_info<cl_uint>(CL_DEVICE_MAX_NUM_SUB_GROUPS)) GTEST_SKIP();
  EXPECT_FALSE(device_info<cl_bool>(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS));
  Kernel nothing = kernel("nothing");
  const size_t kLocal[] = {8};
  size_t value = 0;
  auto query = [&](cl_kernel kernel, cl_kernel_sub_group_info name) {
    return clGetKernelSubGroupInfo(kernel, device(), name, sizeof kLocal, kLocal, sizeof value,
                                   &value, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_OPERATION, query(nothing, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)),
      BAD(CL_INVALID_OPERATION, query(nothing, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE)),
      BAD(CL_INVALID_OPERATION, query(nothing, CL_KERNEL_MAX_NUM_SUB_GROUPS)),
      BAD(CL_INVALID_OPERATION, query(nothing, CL_KERNEL_COMPILE_NUM_SUB_GROUPS)),
      BAD(CL_INVALID_KERNEL, query(nullptr, CL_KERNEL_MAX_NUM_SUB_GROUPS)),
  });
}

void CL_CALLBACK on_release(cl_program, void*) {}

TEST_F(OptionalFeatureTest, ProgramDestructorsAndBuiltInKernels) {
  Program program = build(context_, kKernels, "-cl-std=CL3.0");
  cl_device_id only = device(), none = nullptr;
  EXPECT_FALSE(info<cl_bool>(clGetProgramInfo, program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT));
  EXPECT_FALSE(info<cl_bool>(clGetProgramInfo, program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT));
  expect_all({
      BAD(CL_INVALID_OPERATION, clSetProgramReleaseCallback(program, on_release, nullptr)),
      BAD(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(nullptr, on_release, nullptr)),
      BAD_CREATE(CL_INVALID_VALUE,
                 clCreateProgramWithBuiltInKernels(context_, 1, &only, "no_such_kernel", err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 clCreateProgramWithBuiltInKernels(context_, 1, &only, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context_, 0, &only, "x", err)),
      BAD_CREATE(CL_INVALID_VALUE,
                 clCreateProgramWithBuiltInKernels(context_, 1, nullptr, "x", err)),
      BAD_CREATE(CL_INVALID_DEVICE,
                 clCreateProgramWithBuiltInKernels(context_, 1, &none, "x", err)),
      BAD_CREATE(CL_INVALID_CONTEXT,
                 clCreateProgramWithBuiltInKernels(nullptr, 1, &only, "x", err)),
  });
}

}  // namespace
}  // namespace conclave::test
