// SPDX-License-Identifier: Apache-2.0
// The seam to the loader: the dispatch table behind every handle, and what the library exports.
#include <CL/cl_icd.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "api_test.h"

namespace conclave::test {
namespace {

class DispatchTest : public ApiTest {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    ApiTest::SetUp();
  }
  template <typename H>
  static const cl_icd_dispatch* table_of(H handle) {
    const cl_icd_dispatch* table = nullptr;
    std::memcpy(&table, reinterpret_cast<const void*>(handle), sizeof table);
    return table;
  }
};

TEST_F(DispatchTest, EveryHandleStartsWithTheTable) {
  const cl_icd_dispatch* table = table_of(platform());
  ASSERT_NE(nullptr, table);
  Buffer buffer = make_buffer(context_, 64);
  Kernel nothing = kernel("nothing");
  Event user = user_event(context_);
  EXPECT_EQ(table, table_of(device()));
  EXPECT_EQ(table, table_of(context_.get()));
  EXPECT_EQ(table, table_of(queue_.get()));
  EXPECT_EQ(table, table_of(buffer.get()));
  EXPECT_EQ(table, table_of(program_.get()));
  EXPECT_EQ(table, table_of(nothing.get()));
  EXPECT_EQ(table, table_of(user.get()));
}

#define CORE(name) {#name, reinterpret_cast<const void*>(table->name)}

TEST_F(DispatchTest, EveryCoreFunctionIsThere) {
  const cl_icd_dispatch* table = table_of(platform());
  const std::pair<const char*, const void*> kFunctions[] = {
      CORE(clGetPlatformIDs),
      CORE(clGetPlatformInfo),
      CORE(clGetDeviceIDs),
      CORE(clGetDeviceInfo),
      CORE(clCreateContext),
      CORE(clCreateContextFromType),
      CORE(clRetainContext),
      CORE(clReleaseContext),
      CORE(clGetContextInfo),
      CORE(clCreateCommandQueue),
      CORE(clRetainCommandQueue),
      CORE(clReleaseCommandQueue),
      CORE(clGetCommandQueueInfo),
      CORE(clSetCommandQueueProperty),
      CORE(clCreateBuffer),
      CORE(clCreateImage2D),
      CORE(clCreateImage3D),
      CORE(clRetainMemObject),
      CORE(clReleaseMemObject),
      CORE(clGetSupportedImageFormats),
      CORE(clGetMemObjectInfo),
      CORE(clGetImageInfo),
      CORE(clCreateSampler),
      CORE(clRetainSampler),
      CORE(clReleaseSampler),
      CORE(clGetSamplerInfo),
      CORE(clCreateProgramWithSource),
      CORE(clCreateProgramWithBinary),
      CORE(clRetainProgram),
      CORE(clReleaseProgram),
      CORE(clBuildProgram),
      CORE(clUnloadCompiler),
      CORE(clGetProgramInfo),
      CORE(clGetProgramBuildInfo),
      CORE(clCreateKernel),
      CORE(clCreateKernelsInProgram),
      CORE(clRetainKernel),
      CORE(clReleaseKernel),
      CORE(clSetKernelArg),
      CORE(clGetKernelInfo),
      CORE(clGetKernelWorkGroupInfo),
      CORE(clWaitForEvents),
      CORE(clGetEventInfo),
      CORE(clRetainEvent),
      CORE(clReleaseEvent),
      CORE(clGetEventProfilingInfo),
      CORE(clFlush),
      CORE(clFinish),
      CORE(clEnqueueReadBuffer),
      CORE(clEnqueueWriteBuffer),
      CORE(clEnqueueCopyBuffer),
      CORE(clEnqueueReadImage),
      CORE(clEnqueueWriteImage),
      CORE(clEnqueueCopyImage),
      CORE(clEnqueueCopyImageToBuffer),
      CORE(clEnqueueCopyBufferToImage),
      CORE(clEnqueueMapBuffer),
      CORE(clEnqueueMapImage),
      CORE(clEnqueueUnmapMemObject),
      CORE(clEnqueueNDRangeKernel),
      CORE(clEnqueueTask),
      CORE(clEnqueueNativeKernel),
      CORE(clEnqueueMarker),
      CORE(clEnqueueWaitForEvents),
      CORE(clEnqueueBarrier),
      CORE(clGetExtensionFunctionAddress),
      CORE(clSetEventCallback),
      CORE(clCreateSubBuffer),
      CORE(clSetMemObjectDestructorCallback),
      CORE(clCreateUserEvent),
      CORE(clSetUserEventStatus),
      CORE(clEnqueueReadBufferRect),
      CORE(clEnqueueWriteBufferRect),
      CORE(clEnqueueCopyBufferRect),
      CORE(clCreateSubDevices),
      CORE(clRetainDevice),
      CORE(clReleaseDevice),
      CORE(clCreateImage),
      CORE(clCreateProgramWithBuiltInKernels),
      CORE(clCompileProgram),
      CORE(clLinkProgram),
      CORE(clUnloadPlatformCompiler),
      CORE(clGetKernelArgInfo),
      CORE(clEnqueueFillBuffer),
      CORE(clEnqueueFillImage),
      CORE(clEnqueueMigrateMemObjects),
      CORE(clEnqueueMarkerWithWaitList),
      CORE(clEnqueueBarrierWithWaitList),
      CORE(clGetExtensionFunctionAddressForPlatform),
      CORE(clCreateCommandQueueWithProperties),
      CORE(clCreatePipe),
      CORE(clGetPipeInfo),
      CORE(clSVMAlloc),
      CORE(clSVMFree),
      CORE(clEnqueueSVMFree),
      CORE(clEnqueueSVMMemcpy),
      CORE(clEnqueueSVMMemFill),
      CORE(clEnqueueSVMMap),
      CORE(clEnqueueSVMUnmap),
      CORE(clCreateSamplerWithProperties),
      CORE(clSetKernelArgSVMPointer),
      CORE(clSetKernelExecInfo),
      CORE(clCloneKernel),
      CORE(clCreateProgramWithIL),
      CORE(clEnqueueSVMMigrateMem),
      CORE(clGetDeviceAndHostTimer),
      CORE(clGetHostTimer),
      CORE(clGetKernelSubGroupInfo),
      CORE(clSetDefaultDeviceCommandQueue),
      CORE(clSetProgramReleaseCallback),
      CORE(clSetProgramSpecializationConstant),
      CORE(clCreateBufferWithProperties),
      CORE(clCreateImageWithProperties),
      CORE(clSetContextDestructorCallback),
  };
  for (const auto& [name, function] : kFunctions) EXPECT_NE(nullptr, function) << name;
}

// What loaders answer themselves or redirect to another platform, asked past them.
TEST_F(DispatchTest, NullPlatformIsRefusedOrTheOnlyOne) {
  const cl_icd_dispatch* table = table_of(platform());
  cl_uint count = 0;
  expect_all({
      BAD(CL_INVALID_PLATFORM, table->clUnloadPlatformCompiler(nullptr)),
      BAD(CL_INVALID_VALUE, table->clWaitForEvents(0, nullptr)),
      BAD(CL_INVALID_CONTEXT, table->clRetainContext(nullptr)),
      BAD(CL_INVALID_COMMAND_QUEUE, table->clFinish(nullptr)),
      BAD(CL_INVALID_MEM_OBJECT, table->clReleaseMemObject(nullptr)),
      BAD(CL_INVALID_PROGRAM,
          table->clBuildProgram(nullptr, 0, nullptr, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_KERNEL, table->clReleaseKernel(nullptr)),
      BAD(CL_INVALID_EVENT, table->clReleaseEvent(nullptr)),
      BAD(CL_INVALID_SAMPLER, table->clReleaseSampler(nullptr)),
  });
  // "platform ... can be NULL. If platform is NULL, the behavior is implementation-defined."
  cl_int status = table->clGetDeviceIDs(nullptr, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  EXPECT_TRUE(status == CL_SUCCESS || status == CL_INVALID_PLATFORM) << error_name(status);
}

TEST_F(DispatchTest, ExportsEntryPointsOnly) {
  Dl_info library{};
  const void* function = reinterpret_cast<const void*>(table_of(platform())->clGetDeviceInfo);
  ASSERT_NE(0, dladdr(function, &library));
  EXPECT_NE(nullptr, std::strstr(library.dli_fname, "libconclave")) << library.dli_fname;
  std::string command = "nm -D --defined-only '" + std::string(library.dli_fname) + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(nullptr, pipe);
  int entry_points = 0;
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) {
    std::istringstream stream(line);
    std::string address, type, name;
    stream >> address >> type >> name;
    bool sanitizer = name.rfind("__", 0) == 0;  // sanitized builds export some of their own
    bool xrt = name.rfind("xcl", 0) == 0;       // for libxrt_core.so
    EXPECT_TRUE(name.rfind("cl", 0) == 0 || xrt || sanitizer) << line;
    entry_points += name.rfind("cl", 0) == 0;
  }
  int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) GTEST_SKIP() << "no nm here";
  EXPECT_GE(entry_points, 1);
}

// What loaders themselves ask for, past the loader, since some hide it from programs.
TEST_F(DispatchTest, LoaderEntryPoint) {
  const cl_icd_dispatch* table = table_of(platform());
  auto get = reinterpret_cast<cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*)>(
      table->clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"));
  ASSERT_NE(nullptr, get);
  cl_uint count = 0;
  cl_platform_id found = nullptr;
  EXPECT_OK(get(1, &found, &count));
  EXPECT_EQ(1u, count);
  EXPECT_EQ(platform(), found);
  expect_all({
      BAD(CL_INVALID_VALUE, get(0, &found, &count)),
      BAD(CL_INVALID_VALUE, get(0, nullptr, nullptr)),
  });
}

// cl_khr_icd 2.0: every core function by name.
TEST_F(DispatchTest, FunctionsByName) {
  const cl_icd_dispatch* table = table_of(platform());
  auto get = reinterpret_cast<void*(CL_API_CALL*)(cl_platform_id, const char*)>(
      table->clGetExtensionFunctionAddress("clIcdGetFunctionAddressForPlatformKHR"));
  if (!get) GTEST_SKIP() << "the platform has version 1.0 of cl_khr_icd";
  for (const char* name : {"clGetPlatformIDs", "clUnloadCompiler", "clCreateContext", "clFinish",
                           "clSetContextDestructorCallback", "clGetPlatformInfo"}) {
    EXPECT_NE(nullptr, get(platform(), name)) << name;
  }
  EXPECT_EQ(reinterpret_cast<void*>(table->clFinish), get(platform(), "clFinish"));
  EXPECT_EQ(nullptr, get(platform(), "clNoSuchFunctionXYZ"));
  EXPECT_EQ(nullptr, get(nullptr, "clFinish"));
}

}  // namespace
}  // namespace conclave::test
