// SPDX-License-Identifier: Apache-2.0
// XRT's interface and OpenCL in one process: the same kernels, units and buffers.
#include <CL/cl_ext_conclave.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>
#include <vector>

#include "experimental/xrt_bo.h"
#include "experimental/xrt_device.h"
#include "experimental/xrt_xclbin.h"
#include "xrt/xrt_conclave.h"
#include "xrt/xrt_kernel.h"
#include "xrt_fixture.h"

namespace conclave::test {
namespace {

class XrtAndOpenCl : public XrtProcesses {
 protected:
  XrtAndOpenCl() {
    cl_platform_id platform = nullptr;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl_device_, nullptr);
    context_ = clCreateContext(nullptr, 1, &cl_device_, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueueWithProperties(context_, cl_device_, nullptr, nullptr);
    const std::vector<char> bytes = bytes_of(xrt_xclbin_file("A"));
    const size_t size = bytes.size();
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    program_ = clCreateProgramWithBinary(context_, 1, &cl_device_, &size, &data, nullptr, nullptr);
  }
  ~XrtAndOpenCl() override {
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  // What the caller releases.
  cl_kernel cl_kernel_of(const char* name) { return clCreateKernel(program_, name, nullptr); }
  static void set(cl_kernel kernel, cl_uint index, cl_mem buffer) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof buffer, &buffer), CL_SUCCESS);
  }
  cl_mem shared_buffer(cl_mem_flags flags, std::vector<int>& values) {
    cl_mem_ext_ptr_t extension{XCL_MEM_EXT_P2P_BUFFER, values.data(), nullptr};
    return clCreateBuffer(context_, flags | CL_MEM_EXT_PTR_XILINX, values.size() * sizeof(int),
                          &extension, &code_);
  }
  std::vector<int> read(cl_mem buffer, size_t count) {
    std::vector<int> values(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(int), values.data(), 0,
                                  nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }

  cl_device_id cl_device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_int code_ = CL_SUCCESS;
};

TEST_F(XrtAndOpenCl, KernelsOfBothAtOnce) {
  cl_kernel cl_vadd = cl_kernel_of("vadd:{vadd_1}");
  ASSERT_TRUE(cl_vadd);
  xrt::kernel vadd = kernel("vadd:{vadd_2}");
  EXPECT_EQ(error_of([&] { xrt::kernel(device_, uuid_, "vadd:{vadd_1}", true); }), EBUSY);
  xrt::bo a = ints(kCount, 1), b = ints(kCount, 2), c = ints(kCount, 0);
  std::vector<int> host(kCount);
  std::iota(host.begin(), host.end(), 0);
  cl_mem in =
      clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, kCount * sizeof(int), host.data(), nullptr);
  cl_mem out = clCreateBuffer(context_, 0, kCount * sizeof(int), nullptr, nullptr);
  set(cl_vadd, 0, in);
  set(cl_vadd, 1, in);
  set(cl_vadd, 2, out);
  clSetKernelArg(cl_vadd, 3, sizeof kCount, &kCount);
  for (int round = 0; round < 20; ++round) {
    const size_t global = 100;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, cl_vadd, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    xrt::run run = vadd(a, b, c, kCount);
    clFlush(queue_);
    EXPECT_EQ(run.wait(), ERT_CMD_STATE_COMPLETED);
  }
  const std::vector<int> sums = read(out, kCount);
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(sums[static_cast<size_t>(i)], 2 * i);
  expect_sums(c, 3);
  clReleaseMemObject(in);
  clReleaseMemObject(out);
  clReleaseKernel(cl_vadd);
}

TEST_F(XrtAndOpenCl, ComputeUnits) {
  cl_kernel vadd = cl_kernel_of("vadd:{vadd_2}");
  char name[64];
  size_t size = 0;
  ASSERT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_NAME, sizeof name, name, &size),
            CL_SUCCESS);
  EXPECT_STREQ(name, "vadd_2");
  EXPECT_EQ(size, sizeof "vadd_2");
  cl_uint index = 7;
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_INDEX, sizeof index, &index, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(index, 1u);
  size_t address = 0;
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_BASE_ADDRESS, sizeof address, &address,
                                  nullptr),
            CL_SUCCESS);
  EXPECT_EQ(address, xrt::xclbin(xrt_xclbin_file("A")).get_ip("vadd:vadd_2").get_base_address());
  cl_ulong banks[4];
  EXPECT_EQ(
      xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_CONNECTIONS, sizeof banks, banks, &size),
      CL_SUCCESS);
  EXPECT_EQ(size, sizeof banks);
  EXPECT_EQ(banks[0], 1u);
  EXPECT_EQ(banks[3], 0u);
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 1, XCL_COMPUTE_UNIT_INDEX, sizeof index, &index, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, 0x1319, sizeof index, &index, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(xclGetComputeUnitInfo(vadd, 0, XCL_COMPUTE_UNIT_NAME, 3, name, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(xclGetComputeUnitInfo(nullptr, 0, XCL_COMPUTE_UNIT_NAME, 64, name, nullptr),
            CL_INVALID_KERNEL);
  clReleaseKernel(vadd);
  const char* source = "kernel void k() {}";
  cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  cl_kernel plain = clCreateKernel(program, "k", nullptr);
  EXPECT_EQ(xclGetComputeUnitInfo(plain, 0, XCL_COMPUTE_UNIT_INDEX, sizeof index, &index, nullptr),
            CL_INVALID_KERNEL);
  clReleaseKernel(plain);
  clReleaseProgram(program);
  cl_platform_id platform = nullptr;
  clGetPlatformIDs(1, &platform, nullptr);
  EXPECT_TRUE(clGetExtensionFunctionAddressForPlatform(platform, "xclGetComputeUnitInfo"));
  EXPECT_TRUE(clGetExtensionFunctionAddressForPlatform(platform, "xclGetMemObjectFromFd"));
}

TEST_F(XrtAndOpenCl, BuffersOfSeveralProcesses) {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  cl_mem buffer = shared_buffer(CL_MEM_COPY_HOST_PTR, values);
  ASSERT_EQ(code_, CL_SUCCESS);
  int handle = -1;
  ASSERT_EQ(xclGetMemObjectFd(buffer, &handle), CL_SUCCESS);
  ASSERT_EQ(fcntl(handle, F_SETFD, 0), 0);
  WorkerProcess child("xrt", {});
  EXPECT_EQ(ask(child, "inherit " + std::to_string(handle)), "0");
  EXPECT_EQ(read(buffer, 100)[99], 198);
  cl_mem same = nullptr;
  ASSERT_EQ(xclGetMemObjectFromFd(context_, cl_device_, CL_MEM_READ_WRITE, handle, &same),
            CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
  cl_kernel vadd = cl_kernel_of("vadd");
  for (cl_uint i = 0; i < 3; ++i) set(vadd, i, same);
  const int count = 100;
  clSetKernelArg(vadd, 3, sizeof count, &count);
  const size_t one = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, vadd, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  clFinish(queue_);
  EXPECT_EQ(ask(child, "sum"), "19800");
  xrt::bo bo(device_, handle);
  EXPECT_EQ(bo.map<int*>()[99], 396);
  close(handle);
  clReleaseKernel(vadd);
  clReleaseMemObject(same);

  cl_mem plain = clCreateBuffer(context_, 0, 400, nullptr, nullptr);
  EXPECT_EQ(xclGetMemObjectFd(plain, &handle), CL_INVALID_MEM_OBJECT);
  clReleaseMemObject(plain);
  EXPECT_EQ(xclGetMemObjectFd(nullptr, &handle), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(xclGetMemObjectFromFd(context_, cl_device_, 0, -1, &same), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(xclGetMemObjectFromFd(context_, nullptr, 0, 0, &same), CL_INVALID_DEVICE);
  EXPECT_EQ(xclGetMemObjectFromFd(context_, cl_device_, 0, 0, nullptr), CL_INVALID_VALUE);
  shared_buffer(CL_MEM_USE_HOST_PTR, values);
  EXPECT_EQ(code_, CL_INVALID_VALUE);
  clCreateBuffer(context_, CL_MEM_EXT_PTR_XILINX, 400, nullptr, &code_);
  EXPECT_EQ(code_, CL_INVALID_HOST_PTR);
}

}  // namespace
}  // namespace conclave::test
