// SPDX-License-Identifier: Apache-2.0
// cl_khr_initialize_memory: kernels of a context find zeros in local and private memory.
#include <CL/cl_ext_conclave.h>

#include "api_test.h"

namespace conclave::test {
namespace {

// `dirty` fills the memory in which `read_local` and `read_private` then look.
constexpr char kSource[] = R"(
  kernel void dirty(global int* out, local int* more) {
    local int x[1024];
    volatile int y[256];
    for (int i = get_local_id(0); i < 1024; i += get_local_size(0)) x[i] = more[i] = 7;
    for (int i = 0; i < 256; ++i) y[i] = 9;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[1023 - get_local_id(0)] + more[get_local_id(0)] + y[get_local_id(0)];
  }
  kernel void read_local(global int* out, local int* more) {
    local int x[1024];
    int sum = 0;
    for (int i = 0; i < 1024; ++i) sum += x[i] + more[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 1024; i += get_local_size(0)) x[i] = more[i] = 7;
    out[get_global_id(0)] = sum;
  }
  int look_at(volatile int* x, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    return sum;
  }
  kernel void read_private(global int* out, local int* more) {
    volatile int x[256];
    int y, z[8];
    struct { char c; int i; } s;
    int sum = look_at(x, 256) + z[out[get_global_id(0)] & 7] + s.i + s.c;
    if (out[get_global_id(0)] < 0) y = 3;
    for (int i = 0; i < 256; ++i) x[i] = 9;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + y + (look_at(x, 256) - 9 * 256);
  })";

class InitializeMemoryTest : public ApiTest {
 protected:
  static Context make(cl_context_properties what) {
    const cl_context_properties properties[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, what, 0};
    cl_device_id only = device();
    cl_int err = 0;
    Context context(clCreateContext(properties, 1, &only, nullptr, nullptr, &err));
    EXPECT_OK(err);
    return context;
  }
  // What `name` of `program` finds after others have used the memory.
  static std::vector<int> found(cl_context context, cl_program program, const char* name) {
    Queue queue = make_queue(context);
    Buffer out = make_buffer(context, std::vector<int>(kItems, 1));
    for (const char* kernel_name : {"dirty", name}) {
      Kernel kernel = make_kernel(program, kernel_name);
      const size_t items = kItems, group = 64;
      EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()));
      EXPECT_OK(clSetKernelArg(kernel, 1, 1024 * sizeof(int), nullptr));
      EXPECT_OK(
          clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr));
    }
    return contents(queue, out, kItems);
  }

  static constexpr size_t kItems = 1 << 12;
  const std::vector<int> zeros_ = std::vector<int>(kItems, 0);
};

TEST_F(InitializeMemoryTest, LocalMemoryIsZeroInEachWorkGroup) {
  Context context = make(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR);
  EXPECT_EQ(zeros_, found(context, build(context, kSource), "read_local"));
}

TEST_F(InitializeMemoryTest, PrivateMemoryIsZero) {
  Context context = make(CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR);
  for (const char* options : {"", "-cl-opt-disable", "-cl-conclave-width=1"}) {
    SCOPED_TRACE(options);
    EXPECT_EQ(zeros_, found(context, build(context, kSource, options), "read_private"));
  }
}

// A program that others have compiled is made again for such a context.
TEST_F(InitializeMemoryTest, BinariesAndLinkedPrograms) {
  CONCLAVE_ONLY();
  Context context =
      make(CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR);
  Program built = build(context_, kSource);
  size_t size = info<size_t>(clGetProgramInfo, built, CL_PROGRAM_BINARY_SIZES);
  std::vector<unsigned char> bytes(size);
  unsigned char* place = bytes.data();
  ASSERT_OK(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr));
  const unsigned char* binary = bytes.data();
  cl_device_id only = device();
  cl_int err = 0;
  Program loaded(clCreateProgramWithBinary(context, 1, &only, &size, &binary, nullptr, &err));
  ASSERT_OK(err);
  ASSERT_OK(clBuildProgram(loaded, 0, nullptr, "", nullptr, nullptr));
  EXPECT_EQ(zeros_, found(context, loaded, "read_local"));
  EXPECT_EQ(zeros_, found(context, loaded, "read_private"));

  Program object = make_program(context, kSource);
  ASSERT_OK(clCompileProgram(object, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  Program linked(clLinkProgram(context, 0, nullptr, "", 1, object.list(), nullptr, nullptr, &err));
  ASSERT_OK(err);
  EXPECT_EQ(zeros_, found(context, linked, "read_local"));
  EXPECT_EQ(zeros_, found(context, linked, "read_private"));
}

TEST_F(InitializeMemoryTest, UnknownKindsAreRefused) {
  cl_device_id only = device();
  const cl_context_properties kUnknown[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 4, 0};
  const cl_context_properties kTwice[] = {CL_CONTEXT_MEMORY_INITIALIZE_KHR, 1,
                                          CL_CONTEXT_MEMORY_INITIALIZE_KHR, 2, 0};
  expect_all({
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContext(kUnknown, 1, &only, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContext(kTwice, 1, &only, nullptr, nullptr, err)),
  });
}

}  // namespace
}  // namespace conclave::test
