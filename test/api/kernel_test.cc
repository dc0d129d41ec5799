// SPDX-License-Identifier: Apache-2.0
// Kernel objects: creation, queries, cloning.
#include <algorithm>
#include <cstring>

#include "api_test.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
typedef struct { int a; float b; } pair_t;
kernel __attribute__((work_group_size_hint(64, 1, 1))) void
shown(global const float* restrict in, constant int* table, local float4* scratch,
      global volatile uint* out, unsigned short small, pair_t pair) {
  scratch[get_local_id(0)] = (float4)(in[0]);
  out[0] = (uint)scratch[0].x + table[0] + small + pair.a;
}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void shaped(global int* out) {
  local int shared_memory[256];
  shared_memory[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = shared_memory[0];
}
)";

class KernelTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    own_ = build(context_, kSource, "-cl-kernel-arg-info");
    shown_ = make_kernel(own_, "shown");
    shaped_ = make_kernel(own_, "shaped");
  }
  Program own_;
  Kernel shown_, shaped_;
};

Query kernel_query(cl_kernel kernel, cl_kernel_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetKernelInfo(kernel, name, size, value, ret);
  };
}
Query argument_query(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetKernelArgInfo(kernel, index, name, size, value, ret);
  };
}
Query group_query(cl_kernel kernel, cl_kernel_work_group_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetKernelWorkGroupInfo(kernel, device(), name, size, value, ret);
  };
}
template <typename T>
T value_of(const std::vector<char>& raw) {
  T value{};
  EXPECT_EQ(sizeof value, raw.size());
  if (sizeof value == raw.size()) std::memcpy(&value, raw.data(), sizeof value);
  return value;
}
std::string string_of(const std::vector<char>& raw) {
  return raw.empty() ? "" : raw.data();
}

// Attributes "as they were declared": spaces within may be there or not.
std::string without_spaces(const std::vector<char>& raw) {
  std::string result = string_of(raw);
  std::erase(result, ' ');
  return result;
}

TEST_F(KernelTest, EveryQueryHasTheRightSizeAndValue) {
  EXPECT_EQ("shown", string_of(checked_info(kernel_query(shown_, CL_KERNEL_FUNCTION_NAME), text)));
  EXPECT_EQ(
      6u, value_of<cl_uint>(checked_info(kernel_query(shown_, CL_KERNEL_NUM_ARGS), one<cl_uint>)));
  EXPECT_EQ(1u, value_of<cl_uint>(
                    checked_info(kernel_query(shown_, CL_KERNEL_REFERENCE_COUNT), one<cl_uint>)));
  EXPECT_EQ(context_.get(), value_of<cl_context>(checked_info(
                                kernel_query(shown_, CL_KERNEL_CONTEXT), one<cl_context>)));
  EXPECT_EQ(own_.get(), value_of<cl_program>(checked_info(kernel_query(shown_, CL_KERNEL_PROGRAM),
                                                          one<cl_program>)));
  std::string hint = without_spaces(checked_info(kernel_query(shown_, CL_KERNEL_ATTRIBUTES), text));
  EXPECT_NE(std::string::npos, hint.find("work_group_size_hint(64,1,1)")) << hint;
  std::string required =
      without_spaces(checked_info(kernel_query(shaped_, CL_KERNEL_ATTRIBUTES), text));
  EXPECT_NE(std::string::npos, required.find("reqd_work_group_size(4,2,1)")) << required;
  EXPECT_OK(clRetainKernel(shown_));
  EXPECT_EQ(2u, info<cl_uint>(clGetKernelInfo, shown_, CL_KERNEL_REFERENCE_COUNT));
  EXPECT_OK(clReleaseKernel(shown_));
}

TEST_F(KernelTest, ArgumentInformation) {
  const struct {
    cl_kernel_arg_address_qualifier address;
    const char* type;
    cl_kernel_arg_type_qualifier qualifiers;
    const char* name;
  } kArguments[] = {
      {CL_KERNEL_ARG_ADDRESS_GLOBAL, "float*",
       CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, "in"},
      {CL_KERNEL_ARG_ADDRESS_CONSTANT, "int*", CL_KERNEL_ARG_TYPE_CONST, "table"},
      {CL_KERNEL_ARG_ADDRESS_LOCAL, "float4*", CL_KERNEL_ARG_TYPE_NONE, "scratch"},
      {CL_KERNEL_ARG_ADDRESS_GLOBAL, "uint*", CL_KERNEL_ARG_TYPE_VOLATILE, "out"},
      {CL_KERNEL_ARG_ADDRESS_PRIVATE, "ushort", CL_KERNEL_ARG_TYPE_NONE, "small"},
      {CL_KERNEL_ARG_ADDRESS_PRIVATE, "pair_t", CL_KERNEL_ARG_TYPE_NONE, "pair"},
  };
  cl_uint index = 0;
  for (const auto& row : kArguments) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.name,
              string_of(checked_info(argument_query(shown_, index, CL_KERNEL_ARG_NAME), text)));
    EXPECT_EQ(row.type, string_of(checked_info(
                            argument_query(shown_, index, CL_KERNEL_ARG_TYPE_NAME), text)));
    EXPECT_EQ(row.address, value_of<cl_kernel_arg_address_qualifier>(checked_info(
                               argument_query(shown_, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
                               one<cl_kernel_arg_address_qualifier>)));
    EXPECT_EQ(static_cast<cl_kernel_arg_access_qualifier>(CL_KERNEL_ARG_ACCESS_NONE),
              value_of<cl_kernel_arg_access_qualifier>(
                  checked_info(argument_query(shown_, index, CL_KERNEL_ARG_ACCESS_QUALIFIER),
                               one<cl_kernel_arg_access_qualifier>)));
    EXPECT_EQ(row.qualifiers, value_of<cl_kernel_arg_type_qualifier>(checked_info(
                                  argument_query(shown_, index, CL_KERNEL_ARG_TYPE_QUALIFIER),
                                  one<cl_kernel_arg_type_qualifier>)));
    ++index;
  }
}

TEST_F(KernelTest, WorkGroupInformation) {
  struct Sizes {
    size_t xyz[3];
  };
  auto required = value_of<Sizes>(
      checked_info(group_query(shaped_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE), one<Sizes>));
  EXPECT_EQ(4u, required.xyz[0]);
  EXPECT_EQ(2u, required.xyz[1]);
  EXPECT_EQ(1u, required.xyz[2]);
  auto none = value_of<Sizes>(
      checked_info(group_query(shown_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE), one<Sizes>));
  EXPECT_EQ(0u, none.xyz[0] + none.xyz[1] + none.xyz[2]);
  size_t most =
      value_of<size_t>(checked_info(group_query(shown_, CL_KERNEL_WORK_GROUP_SIZE), one<size_t>));
  EXPECT_GE(most, 1u);
  EXPECT_LE(most, info<size_t>(clGetDeviceInfo, device(), CL_DEVICE_MAX_WORK_GROUP_SIZE));
  EXPECT_GE(value_of<size_t>(checked_info(
                group_query(shown_, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), one<size_t>)),
            1u);
  EXPECT_GE(value_of<cl_ulong>(
                checked_info(group_query(shaped_, CL_KERNEL_LOCAL_MEM_SIZE), one<cl_ulong>)),
            256 * sizeof(int));
  checked_info(group_query(shown_, CL_KERNEL_PRIVATE_MEM_SIZE), one<cl_ulong>);
  // "GLOBAL_WORK_SIZE: ... if kernel is not a built-in kernel ... CL_INVALID_VALUE".
  Sizes sizes;
  EXPECT_CL(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(shown_, device(), CL_KERNEL_GLOBAL_WORK_SIZE,
                                                       sizeof sizes, &sizes, nullptr));
}

// "If the local memory size, for any pointer argument to the kernel declared with the __local
// address qualifier, is not specified, its size is assumed to be 0."
TEST_F(KernelTest, LocalArgumentsCountAsLocalMemory) {
  auto local = [&] {
    cl_ulong size = 0;
    EXPECT_OK(clGetKernelWorkGroupInfo(shown_, device(), CL_KERNEL_LOCAL_MEM_SIZE, sizeof size,
                                       &size, nullptr));
    return size;
  };
  cl_ulong before = local();
  ASSERT_OK(clSetKernelArg(shown_, 2, 4096, nullptr));
  EXPECT_GE(local(), before + 4096);
}

// "device can be NULL" where the program has only one device.
TEST_F(KernelTest, WorkGroupInformationWithoutADevice) {
  size_t most = 0;
  EXPECT_OK(clGetKernelWorkGroupInfo(shown_, nullptr, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                     nullptr));
  EXPECT_GE(most, 1u);
}

TEST_F(KernelTest, AllKernelsOfAProgram) {
  cl_uint count = 0;
  ASSERT_OK(clCreateKernelsInProgram(own_, 0, nullptr, &count));
  ASSERT_EQ(2u, count);
  std::vector<cl_kernel> kernels(count);
  ASSERT_OK(clCreateKernelsInProgram(own_, count, kernels.data(), nullptr));
  std::vector<std::string> names;
  for (cl_kernel kernel : kernels) {
    names.push_back(string_of(checked_info(kernel_query(kernel, CL_KERNEL_FUNCTION_NAME), text)));
    EXPECT_EQ(1u, info<cl_uint>(clGetKernelInfo, kernel, CL_KERNEL_REFERENCE_COUNT));
    EXPECT_OK(clReleaseKernel(kernel));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ((std::vector<std::string>{"shaped", "shown"}), names);
}

TEST_F(KernelTest, CloneTakesTheArgumentsAlong) {
  Buffer data = make_buffer(context_, std::vector<int>(16, 1));
  Kernel add = kernel("add");
  int amount = 10;
  ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), data.list()));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  cl_int err = 0;
  Kernel clone(clCloneKernel(add, &err));
  ASSERT_OK(err);
  EXPECT_NE(add.get(), clone.get());
  EXPECT_EQ(1u, info<cl_uint>(clGetKernelInfo, clone, CL_KERNEL_REFERENCE_COUNT));
  EXPECT_EQ("add", string_of(checked_info(kernel_query(clone, CL_KERNEL_FUNCTION_NAME), text)));
  // From here on the two are independent.
  int hundred = 100;
  ASSERT_OK(clSetKernelArg(clone, 1, sizeof hundred, &hundred));
  size_t items = 16;
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(std::vector<int>(16, 11), contents(queue_, data, 16));
  add.reset();
  ASSERT_OK(
      clEnqueueNDRangeKernel(queue_, clone, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(std::vector<int>(16, 111), contents(queue_, data, 16));
}

TEST_F(KernelTest, BadCreationIsRefused) {
  Program unbuilt = make_program(context_, kSource);
  cl_kernel room[1];
  cl_uint count = 0;
  expect_all({
      BAD_CREATE(CL_INVALID_PROGRAM, clCreateKernel(nullptr, "shown", err)),
      BAD_CREATE(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(unbuilt, "shown", err)),
      BAD_CREATE(CL_INVALID_KERNEL_NAME, clCreateKernel(own_, "absent", err)),
      BAD_CREATE(CL_INVALID_KERNEL_NAME, clCreateKernel(own_, "", err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateKernel(own_, nullptr, err)),
      BAD(CL_INVALID_PROGRAM, clCreateKernelsInProgram(nullptr, 0, nullptr, &count)),
      BAD(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(unbuilt, 0, nullptr, &count)),
      BAD(CL_INVALID_VALUE, clCreateKernelsInProgram(own_, 1, room, &count)),
      BAD_CREATE(CL_INVALID_KERNEL, clCloneKernel(nullptr, err)),
  });
}

TEST_F(KernelTest, BadArgumentsAreRefused) {
  cl_ulong value = 0;
  auto arg = [&](cl_uint index, cl_kernel_arg_info name, size_t size, void* to) {
    return clGetKernelArgInfo(shown_, index, name, size, to, nullptr);
  };
  auto group = [&](cl_device_id device, cl_kernel_work_group_info name, size_t size, void* to) {
    return clGetKernelWorkGroupInfo(shown_, device, name, size, to, nullptr);
  };
  expect_all({
      BAD(CL_INVALID_KERNEL, clRetainKernel(nullptr)),
      BAD(CL_INVALID_KERNEL, clReleaseKernel(nullptr)),
      BAD(CL_INVALID_KERNEL, clGetKernelInfo(nullptr, CL_KERNEL_NUM_ARGS, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetKernelInfo(shown_, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetKernelInfo(shown_, CL_DEVICE_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetKernelInfo(shown_, CL_KERNEL_PROGRAM, 4, &value, nullptr)),
      BAD(CL_INVALID_KERNEL,
          clGetKernelArgInfo(nullptr, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_ARG_INDEX, arg(6, CL_KERNEL_ARG_NAME, 0, nullptr)),
      BAD(CL_INVALID_VALUE, arg(0, 0, 0, nullptr)),
      BAD(CL_INVALID_VALUE, arg(0, CL_KERNEL_ARG_NAME, 1, &value)),
      BAD(CL_INVALID_KERNEL, clGetKernelWorkGroupInfo(nullptr, device(), CL_KERNEL_WORK_GROUP_SIZE,
                                                      0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, group(device(), 0, 0, nullptr)),
      BAD(CL_INVALID_VALUE, group(device(), CL_KERNEL_WORK_GROUP_SIZE, 4, &value)),
  });
  if (is_conclave()) {
    EXPECT_CL(CL_INVALID_DEVICE,
              group(as<cl_device_id>(queue_.get()), CL_KERNEL_WORK_GROUP_SIZE, 8, &value));
  }
}

// Without -cl-kernel-arg-info the information may be missing, and says so.
TEST_F(KernelTest, ArgumentInformationMayBeMissing) {
  Program program = build(context_, "kernel void k(global int* o) { o[0] = 1; }");
  Kernel k = make_kernel(program, "k");
  char name[16] = {};
  cl_int status = clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, nullptr);
  if (status == CL_SUCCESS) {
    EXPECT_STREQ("o", name);
  } else {
    EXPECT_CL(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, status);
  }
}

}  // namespace
}  // namespace conclave::test
