// SPDX-License-Identifier: Apache-2.0
// cl_ext_buffer_device_address: buffers that tell their address, which kernels find in memory or get
// as an argument.
#include <CL/cl_ext_conclave.h>

#include "api_test.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
kernel void store(global int* to, int value) { *to = value; }
kernel void store_there(global ulong* list, int value) { *(global int*)list[0] = value; }
kernel void other(local int* scratch, constant int* table, global int* out) {
  *out = *table;
}
)";

class DeviceAddressTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    if (device_text(device(), CL_DEVICE_EXTENSIONS).find("cl_ext_buffer_device_address") ==
        std::string::npos)
      GTEST_SKIP() << "no cl_ext_buffer_device_address";
    own_ = build(context_, kSource);
    set_pointer_ = reinterpret_cast<decltype(clSetKernelArgDevicePointerEXT)*>(
        clGetExtensionFunctionAddressForPlatform(platform(), "clSetKernelArgDevicePointerEXT"));
    ASSERT_NE(nullptr, set_pointer_);
  }
  Buffer with_address(size_t size) {
    const cl_mem_properties properties[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    cl_int code = 1;
    Buffer made(clCreateBufferWithProperties(context_, properties, CL_MEM_READ_WRITE, size, nullptr,
                                             &code));
    EXPECT_OK(code);
    return made;
  }
  static cl_mem_device_address_ext address(cl_mem memory) {
    return info<cl_mem_device_address_ext>(clGetMemObjectInfo, memory, CL_MEM_DEVICE_ADDRESS_EXT);
  }
  void run(cl_kernel kernel) {
    const size_t one = 1;
    EXPECT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
  }

  Program own_;
  decltype(clSetKernelArgDevicePointerEXT)* set_pointer_ = nullptr;
};

TEST_F(DeviceAddressTest, KernelsUseAddresses) {
  Buffer buffer = with_address(1024), list = with_address(64);
  const cl_buffer_region region = {512, 64};
  cl_int code = 1;
  Buffer part(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  EXPECT_OK(code);
  EXPECT_EQ(address(buffer) + 512, address(part));
  Kernel store = make_kernel(own_, "store"), there = make_kernel(own_, "store_there");
  cl_int value = 5;
  EXPECT_OK(set_pointer_(store, 0, address(buffer) + 4));
  EXPECT_OK(clSetKernelArg(store, 1, sizeof value, &value));
  run(store);
  const cl_mem_device_address_ext target = address(buffer) + 8;
  value = 6;
  EXPECT_OK(
      clEnqueueWriteBuffer(queue_, list, CL_TRUE, 0, sizeof target, &target, 0, nullptr, nullptr));
  EXPECT_OK(
      clSetKernelExecInfo(there, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof target, &target));
  EXPECT_OK(clSetKernelArg(there, 0, sizeof(cl_mem), list.list()));
  EXPECT_OK(clSetKernelArg(there, 1, sizeof value, &value));
  run(there);
  EXPECT_EQ((std::vector<int>{5, 6}),
            (std::vector<int>{contents(queue_, buffer, 3)[1], contents(queue_, buffer, 3)[2]}));
}

TEST_F(DeviceAddressTest, BadCallsAreRefused) {
  Buffer plain = make_buffer(context_, 64);
  Kernel other = make_kernel(own_, "other"), store = make_kernel(own_, "store");
  const cl_mem_properties wrong[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 7, 0};
  const cl_mem_properties twice[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE,
                                     CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
  const cl_mem_properties no[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_FALSE, 0};
  cl_int code = 1;
  Buffer without(clCreateBufferWithProperties(context_, no, 0, 64, nullptr, &code));
  EXPECT_OK(code);
  cl_mem_device_address_ext value = 0;
  const auto ask = [&](cl_mem memory) {
    return clGetMemObjectInfo(memory, CL_MEM_DEVICE_ADDRESS_EXT, sizeof value, &value, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_OPERATION, ask(plain)),
      BAD(CL_INVALID_OPERATION, ask(without)),
      BAD_CREATE(CL_INVALID_PROPERTY,
                 clCreateBufferWithProperties(context_, wrong, 0, 64, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY,
                 clCreateBufferWithProperties(context_, twice, 0, 64, nullptr, err)),
      BAD(CL_INVALID_KERNEL, set_pointer_(nullptr, 0, 0)),
      BAD(CL_INVALID_ARG_INDEX, set_pointer_(other, 0, 64)),
      BAD(CL_INVALID_ARG_INDEX, set_pointer_(store, 1, 64)),
      BAD(CL_INVALID_ARG_INDEX, set_pointer_(store, 2, 64)),
      BAD(CL_INVALID_VALUE,
          clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 0, &value)),
      BAD(CL_INVALID_VALUE,
          clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 7, &value)),
      BAD(CL_INVALID_VALUE,
          clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof value, nullptr)),
  });
  EXPECT_OK(set_pointer_(other, 1, 64));
  EXPECT_OK(set_pointer_(store, 0, 0));
}

}  // namespace
}  // namespace conclave::test
