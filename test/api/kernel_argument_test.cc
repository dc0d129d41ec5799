// SPDX-License-Identifier: Apache-2.0
// Setting kernel arguments, right and wrong, and that kernels receive what was set.
#include "api_test.h"

namespace conclave::test {
namespace {

const char kSource[] = R"(
typedef struct { char c; int i; double d; } mixed_t;
kernel void values(global double* out, char c, short s, int i, long l, float f, double d, uchar3 v,
                   float4 w, mixed_t m) {
  out[0] = c; out[1] = s; out[2] = i; out[3] = (double)l; out[4] = f; out[5] = d;
  out[6] = v.x + 10 * v.y + 100 * v.z;
  out[7] = w.x + w.y + w.z + w.w;
  out[8] = m.c; out[9] = m.i; out[10] = m.d;
}
kernel void null_pointer(global int* out, global int* maybe, constant int* table) {
  out[0] = maybe == 0; out[1] = table == 0;
}
kernel void two_locals(global int* out, local int* a, local long* b, int n) {
  int l = (int)get_local_id(0);
  for (int i = l; i < n; i += (int)get_local_size(0)) { a[i] = i; b[i] = 1000 + i; }
  barrier(CLK_LOCAL_MEM_FENCE);
  int bad = 0;
  for (int i = 0; i < n; ++i) bad += (a[i] != i) + (b[i] != 1000 + i);
  out[get_global_id(0)] = bad;
}
kernel void table(global int* out, constant int* in) {
  out[get_global_id(0)] = in[get_global_id(0)] * 2;
}
)";

class KernelArgumentTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    own_ = build(context_, kSource);
  }
  Program own_;
};

struct Mixed {
  cl_char c;
  cl_int i;
  cl_double d;
};

TEST_F(KernelArgumentTest, ValuesOfAllSizesArrive) {
  Kernel k = make_kernel(own_, "values");
  Buffer out = make_buffer(context_, 11 * sizeof(double));
  cl_char c = -3;
  cl_short s = -300;
  cl_int i = -70000;
  cl_long l = 1ll << 40;
  cl_float f = 0.5f;
  cl_double d = 1e300;
  cl_uchar3 v = {{1, 2, 3, 0}};
  cl_float4 w = {{1, 2, 3, 4}};
  Mixed m{7, -8, 2.25};
  cl_uint index = 0;
  ASSERT_OK(clSetKernelArg(k, index++, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof c, &c));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof s, &s));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof i, &i));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof l, &l));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof f, &f));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof d, &d));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof v, &v));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof w, &w));
  ASSERT_OK(clSetKernelArg(k, index++, sizeof m, &m));
  ASSERT_OK(clEnqueueTask(queue_, k, 0, nullptr, nullptr));
  std::vector<double> back(11);
  ASSERT_OK(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, 11 * sizeof(double), back.data(), 0,
                                nullptr, nullptr));
  EXPECT_EQ(
      (std::vector<double>{-3, -300, -70000, 1099511627776.0, 0.5, 1e300, 321, 10, 7, -8, 2.25}),
      back);
}

// "a NULL value can be specified for arg_value or arg_value can point to a NULL value": the kernel
// sees a null pointer.
TEST_F(KernelArgumentTest, NullBuffers) {
  Kernel k = make_kernel(own_, "null_pointer");
  Buffer out = make_buffer(context_, std::vector<int>(2, -1));
  cl_mem null = nullptr;
  ASSERT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(k, 1, sizeof(cl_mem), &null));
  ASSERT_OK(clSetKernelArg(k, 2, sizeof(cl_mem), nullptr));
  ASSERT_OK(clEnqueueTask(queue_, k, 0, nullptr, nullptr));
  EXPECT_EQ((std::vector<int>{1, 1}), contents(queue_, out, 2));
}

TEST_F(KernelArgumentTest, LocalArgumentsDoNotOverlap) {
  Kernel k = make_kernel(own_, "two_locals");
  constexpr int kCount = 33;
  constexpr size_t kItems = 32, kGroup = 8;
  Buffer out = make_buffer(context_, std::vector<int>(kItems, -1));
  ASSERT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(k, 1, kCount * sizeof(cl_int), nullptr));
  ASSERT_OK(clSetKernelArg(k, 2, kCount * sizeof(cl_long), nullptr));
  ASSERT_OK(clSetKernelArg(k, 3, sizeof kCount, &kCount));
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, k, 1, nullptr, &kItems, &kGroup, 0, nullptr, nullptr));
  EXPECT_EQ(std::vector<int>(kItems, 0), contents(queue_, out, kItems));
}

TEST_F(KernelArgumentTest, TooMuchLocalMemoryIsRefused) {
  Kernel k = make_kernel(own_, "two_locals");
  Buffer out = make_buffer(context_, 64);
  size_t all =
      static_cast<size_t>(info<cl_ulong>(clGetDeviceInfo, device(), CL_DEVICE_LOCAL_MEM_SIZE));
  int count = 1;
  size_t items = 1;
  ASSERT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(k, 3, sizeof count, &count));
  ASSERT_OK(clSetKernelArg(k, 2, sizeof(cl_long), nullptr));
  cl_int status = clSetKernelArg(k, 1, all, nullptr);
  if (status == CL_SUCCESS) {  // it fits alone, not together with the other
    EXPECT_CL(CL_OUT_OF_RESOURCES,
              clEnqueueNDRangeKernel(queue_, k, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  } else {
    EXPECT_CL(CL_OUT_OF_RESOURCES, status);
  }
}

TEST_F(KernelArgumentTest, ConstantBuffers) {
  Kernel k = make_kernel(own_, "table");
  Buffer in = make_buffer(context_, {1, 2, 3, 4}), out = make_buffer(context_, {0, 0, 0, 0});
  size_t items = 4;
  ASSERT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(k, 1, sizeof(cl_mem), in.list()));
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, k, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ((std::vector<int>{2, 4, 6, 8}), contents(queue_, out, 4));
}

// "The argument data pointed to by arg_value is copied", and "implementations shall not allow
// cl_kernel objects to hold reference counts to cl_kernel arguments": checked here from outside.
TEST_F(KernelArgumentTest, ArgumentsAreCopiedWhenSet) {
  Kernel add = kernel("add");
  Buffer data = make_buffer(context_, std::vector<int>(16, 1));
  int amount = 5;
  cl_mem handle = data;
  ASSERT_OK(clSetKernelArg(add, 0, sizeof handle, &handle));
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  handle = nullptr;
  amount = 1000;
  size_t items = 16;
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(std::vector<int>(16, 6), contents(queue_, data, 16));
  EXPECT_EQ(1u, info<cl_uint>(clGetMemObjectInfo, data, CL_MEM_REFERENCE_COUNT));
}

TEST_F(KernelArgumentTest, BadArgumentsAreRefused) {
  Kernel sum = kernel("group_sum"), add = kernel("add");
  Buffer data = make_buffer(context_, 64);
  int value = 0;
  long wide = 0;
  auto set = [](cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    return clSetKernelArg(kernel, index, size, value);
  };
  constexpr size_t kMem = sizeof(cl_mem);
  expect_all({
      BAD(CL_INVALID_KERNEL, set(nullptr, 0, kMem, data.list())),
      BAD(CL_INVALID_ARG_INDEX, set(add, 2, sizeof value, &value)),
      BAD(CL_INVALID_ARG_INDEX, set(add, ~0u, sizeof value, &value)),
      BAD(CL_INVALID_ARG_VALUE, set(add, 1, sizeof value, nullptr)),
      BAD(CL_INVALID_ARG_SIZE, set(add, 1, 0, &value)),
      BAD(CL_INVALID_ARG_SIZE, set(add, 1, 2, &value)),
      BAD(CL_INVALID_ARG_SIZE, set(add, 1, sizeof wide, &wide)),
      BAD(CL_INVALID_ARG_SIZE, set(add, 0, kMem - 1, data.list())),
      BAD(CL_INVALID_ARG_SIZE, set(add, 0, kMem + 1, data.list())),
      BAD(CL_INVALID_ARG_SIZE, set(sum, 2, 0, nullptr)),
      BAD(CL_INVALID_ARG_VALUE, set(sum, 2, 64, &value)),
  });
}

TEST_F(KernelArgumentTest, WrongObjectsAreNoBuffers) {
  CONCLAVE_ONLY();
  Kernel add = kernel("add");
  void* not_memory = queue_.get();
  EXPECT_CL(CL_INVALID_MEM_OBJECT, clSetKernelArg(add, 0, sizeof(cl_mem), &not_memory));
  cl_mem released = make_buffer(context_, 64).get();
  EXPECT_CL(CL_INVALID_MEM_OBJECT, clSetKernelArg(add, 0, sizeof(cl_mem), &released));
}

TEST_F(KernelArgumentTest, BufferOfAnotherContextIsRefused) {
  Context other = make_context();
  Buffer foreign = make_buffer(other, 64);
  Kernel add = kernel("add");
  int amount = 1;
  size_t items = 1;
  ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
  // "CL_INVALID_MEM_OBJECT for an argument declared to be a memory object when the specified
  // arg_value is not a valid memory object"; a platform may also find out when it enqueues.
  cl_int status = clSetKernelArg(add, 0, sizeof(cl_mem), foreign.list());
  if (status == CL_SUCCESS) {
    status = clEnqueueNDRangeKernel(queue_, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
  }
  EXPECT_TRUE(status == CL_INVALID_MEM_OBJECT || status == CL_INVALID_CONTEXT)
      << error_name(status);
}

}  // namespace
}  // namespace conclave::test
