// SPDX-License-Identifier: Apache-2.0
// What a device says of the functions that extensions add to kernels.
#include <CL/cl_ext_conclave.h>

#include "api_test.h"

namespace conclave::test {
namespace {

class FunctionExtensionTest : public ApiTest {
 protected:
  static bool has(const std::string& name) {
    return (" " + device_text(device(), CL_DEVICE_EXTENSIONS) + " ").find(" " + name + " ") !=
           std::string::npos;
  }
  static bool has_feature(const char* name) {
    const auto raw = checked_info(query(CL_DEVICE_OPENCL_C_FEATURES), list_of<cl_name_version>);
    for (size_t at = 0; at < raw.size(); at += sizeof(cl_name_version))
      if (std::string(reinterpret_cast<const cl_name_version*>(&raw[at])->name) == name)
        return true;
    return false;
  }
  static Query query(cl_device_info name) {
    return [name](size_t size, void* value, size_t* ret) {
      return clGetDeviceInfo(device(), name, size, value, ret);
    };
  }
};

TEST_F(FunctionExtensionTest, IntegerDotProduct) {
  if (!has("cl_khr_integer_dot_product")) GTEST_SKIP();
  using Capabilities = cl_device_integer_dot_product_capabilities_khr;
  using Acceleration = cl_device_integer_dot_product_acceleration_properties_khr;
  const cl_device_info names[] = {
      CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
      CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR};
  for (cl_device_info name : names) {
    checked_info(query(name), one<Acceleration>);
    const auto acceleration = info<Acceleration>(clGetDeviceInfo, device(), name);
    EXPECT_LE(acceleration.signed_accelerated, 1u);
    EXPECT_LE(acceleration.accumulating_saturating_mixed_signedness_accelerated, 1u);
  }
  checked_info(query(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR), one<Capabilities>);
  const auto all =
      info<Capabilities>(clGetDeviceInfo, device(), CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR);
  EXPECT_TRUE(all & CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR) << "mandatory";
  EXPECT_EQ(has_feature("__opencl_c_integer_dot_product_input_4x8bit_packed"),
            (all & CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR) != 0);
  EXPECT_EQ(has_feature("__opencl_c_integer_dot_product_input_4x8bit"),
            (all & CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR) != 0);
}

TEST_F(FunctionExtensionTest, KernelClock) {
  if (!has("cl_khr_kernel_clock")) GTEST_SKIP();
  using Capabilities = cl_device_kernel_clock_capabilities_khr;
  checked_info(query(CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR), one<Capabilities>);
  const auto all =
      info<Capabilities>(clGetDeviceInfo, device(), CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR);
  EXPECT_EQ(has_feature("__opencl_c_kernel_clock_scope_device"),
            (all & CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR) != 0);
  EXPECT_EQ(has_feature("__opencl_c_kernel_clock_scope_work_group"),
            (all & CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR) != 0);
  EXPECT_EQ(has_feature("__opencl_c_kernel_clock_scope_sub_group"),
            (all & CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR) != 0);
}

TEST_F(FunctionExtensionTest, FloatAtomics) {
  if (!has("cl_ext_float_atomics")) GTEST_SKIP();
  using Capabilities = cl_device_fp_atomic_capabilities_ext;
  const std::pair<cl_device_info, std::string> kTypes[] = {
      {CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, "__opencl_c_ext_fp16_"},
      {CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, "__opencl_c_ext_fp32_"},
      {CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, "__opencl_c_ext_fp64_"}};
  for (const auto& [name, prefix] : kTypes) {
    SCOPED_TRACE(prefix);
    checked_info(query(name), one<Capabilities>);
    const auto all = info<Capabilities>(clGetDeviceInfo, device(), name);
    const auto expect_feature = [&, &prefix = prefix](const char* suffix, Capabilities bit) {
      EXPECT_EQ(has_feature((prefix + suffix).c_str()), (all & bit) != 0) << suffix;
    };
    expect_feature("global_atomic_add", CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT);
    expect_feature("global_atomic_min_max", CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT);
    expect_feature("local_atomic_add", CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT);
    expect_feature("local_atomic_min_max", CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT);
    // OpenCL C itself has those of float and double.
    if (name != CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT) continue;
    expect_feature("global_atomic_load_store", CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT);
    expect_feature("local_atomic_load_store", CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT);
  }
}

}  // namespace
}  // namespace conclave::test
