// SPDX-License-Identifier: Apache-2.0
// Kernels that call C functions, whose object the build options name.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "api_test.h"

namespace conclave::test {
namespace {

constexpr char kSource[] = R"(
  void add(global const int* a, global const int* b, global int* c, int n);
  int weigh(char a, short b, long c, float d, double e, float4 f, double2 g, char2 h, char3 i,
            uchar4 j, short2 k, int2 l);
  char2 swap2(char2 v);
  char3 turn3(char3 v);
  float4 turn4(float4 v);
  int count_call(void);
  int library_functions(int n);

  kernel void task(global const int* a, global const int* b, global int* c, int n) {
    add(a, b, c, n);
  }
  kernel void values(global int* out) {
    int i = get_global_id(0);
    out[i] = weigh(i, 2 - i, 3, i + 0.5f, 5.25, (float4)(i, 2, 9, 4), (double2)(i, 3),
                   (char2)(i, 3), (char3)(1, i, 2), (uchar4)(200, 1, 1, i), (short2)(i, 7),
                   (int2)(i, -4));
  }
  kernel void results(global int* out) {
    int i = get_global_id(0);
    char2 a = swap2((char2)(i, 50 + i));
    char3 b = turn3((char3)(i, 1, 2));
    float4 c = turn4((float4)(i, 1, 2, 3));
    out[i] = a.x * 1000 + a.y + b.x * 7 + b.y * 11 + b.z + (int)(c.x + 2 * c.y + 3 * c.z + 5 * c.w);
  }
  kernel void calls(global int* out, int step) {
    int i = get_global_id(0);
    out[i] = i % step == 0 ? count_call() > 0 : 0;
  }
  kernel void count(global int* out) { out[0] = count_call(); }
  kernel void local_memory(global const int* a, global int* out) {
    local int sums[64], twos[64];
    int l = get_local_id(0);
    twos[l] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) add(a, (global const int*)a, out, 0);
    sums[l] = twos[63 - l] + library_functions(l % 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sums[63 - l];
  })";

class CCodeTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    program_ = build(context_, kSource, CONCLAVE_TEST_PLAIN_OBJECT);
  }
  std::vector<int> run(const char* name, size_t items, int argument = -1) {
    Kernel kernel = make_kernel(program_, name);
    Buffer out = make_buffer(context_, std::vector<int>(items));
    EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.list()));
    if (argument >= 0) {
      EXPECT_OK(clSetKernelArg(kernel, 1, sizeof argument, &argument));
    }
    EXPECT_OK(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
    return contents(queue_, out, items);
  }
};

TEST_F(CCodeTest, ATaskCallsAFunctionOfAnObject) {
  Kernel kernel = make_kernel(program_, "task");
  std::vector<int> a, b, sums;
  for (int i = 0; i < 1000; ++i) {
    a.push_back(i);
    b.push_back(3 * i);
    sums.push_back(4 * i);
  }
  const int n = 1000;
  Buffer buffer_a = make_buffer(context_, a), buffer_b = make_buffer(context_, b);
  Buffer out = make_buffer(context_, std::vector<int>(1000));
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer_a.list()));
  EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), buffer_b.list()));
  EXPECT_OK(clSetKernelArg(kernel, 2, sizeof(cl_mem), out.list()));
  EXPECT_OK(clSetKernelArg(kernel, 3, sizeof n, &n));
  ASSERT_OK(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr));
  EXPECT_EQ(sums, contents(queue_, out, 1000));
}

TEST_F(CCodeTest, ValuesArePassedAsCWantsThem) {
  const std::vector<int> out = run("values", 20);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(i + 2 * (2 - i) + 9 + 4 * i + 25 + (i + 4 + 12) + (i - 3) + 3 * i + (1 + i - 2) +
                  (200 - i) + 7 * i + i + 4,
              out[static_cast<size_t>(i)])
        << i;
}

TEST_F(CCodeTest, ResultsComeAsCGivesThem) {
  const std::vector<int> out = run("results", 20);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ((50 + i) * 1000 + i + 7 + 22 + i + (1 + 4 + 9 + 5 * i), out[static_cast<size_t>(i)])
        << i;
}

TEST_F(CCodeTest, AFunctionIsCalledOnceForEachWorkItemThatComesThere) {
  const int before = run("count", 1)[0];
  run("calls", 1000, 3);
  EXPECT_EQ(before + 334 + 1, run("count", 1)[0]);
}

TEST_F(CCodeTest, KernelsWithLocalMemoryAndBarriersCallC) {
  Kernel kernel = make_kernel(program_, "local_memory");
  Buffer a = make_buffer(context_, std::vector<int>(256)),
         out = make_buffer(context_, std::vector<int>(256));
  EXPECT_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), a.list()));
  EXPECT_OK(clSetKernelArg(kernel, 1, sizeof(cl_mem), out.list()));
  const size_t items = 256, group = 64;
  ASSERT_OK(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr));
  const std::vector<int> result = contents(queue_, out, items);
  for (int i = 0; i < 256; ++i) {
    const int n = (63 - i % 64) % 32;
    EXPECT_EQ(2 + n + static_cast<int>(lgamma(n)), result[static_cast<size_t>(i)]) << i;
  }
}

// What linking takes is in the binary: it is built again without the object.
TEST_F(CCodeTest, ABinaryHasItsCCode) {
  size_t size = 0;
  ASSERT_OK(clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
  std::vector<unsigned char> binary(size);
  unsigned char* pointer = binary.data();
  ASSERT_OK(clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr));
  cl_int status = 0, error = 0;
  cl_device_id device = test::device();
  const unsigned char* constant = binary.data();
  program_ =
      Program(clCreateProgramWithBinary(context_, 1, &device, &size, &constant, &status, &error));
  ASSERT_OK(error);
  ASSERT_OK(clBuildProgram(program_, 1, &device, "", nullptr, nullptr));
  EXPECT_EQ(5035 + 0 + 7 + 22 + 0 + 14 - 5035 + 50000, run("results", 1)[0]);
}

// clLinkProgram takes objects of C code too.
TEST_F(CCodeTest, LinkingTakesObjects) {
  Program object = make_program(context_, kSource);
  cl_device_id device = test::device();
  ASSERT_OK(clCompileProgram(object, 1, &device, "", 0, nullptr, nullptr, nullptr, nullptr));
  cl_int error = 0;
  cl_program input = object;
  Program linked(clLinkProgram(context_, 1, &device, CONCLAVE_TEST_PLAIN_OBJECT, 1, &input, nullptr,
                               nullptr, &error));
  ASSERT_OK(error);
  program_ = std::move(linked);
  EXPECT_EQ(1, run("calls", 1, 1)[0]);
}

std::string failed_build(cl_context context, const char* source, const char* options) {
  Program program = make_program(context, source);
  cl_device_id device = test::device();
  EXPECT_NE(CL_SUCCESS, clBuildProgram(program, 1, &device, options, nullptr, nullptr));
  return build_log(program);
}

TEST_F(CCodeTest, WhatCannotBeBuiltIsSaid) {
  const auto log = [&](const char* source, const char* options) {
    return failed_build(context_, source, options);
  };
  constexpr char kCall[] = "int nowhere(int); kernel void k(global int* a) { *a = nowhere(1); }";
  EXPECT_NE(std::string::npos,
            log(kCall, CONCLAVE_TEST_PLAIN_OBJECT).find("'nowhere', used in 'k'"));
  EXPECT_NE(std::string::npos, log(kCall, "missing.obj").find("cannot read 'missing.obj'"));
  constexpr char kStructure[] =
      "typedef struct { int a; } S; int weigh(S s);"
      "kernel void k(global int* a) { S s = {1}; *a = weigh(s); }";
  EXPECT_NE(
      std::string::npos,
      log(kStructure, CONCLAVE_TEST_PLAIN_OBJECT).find("'weigh' takes or returns a structure"));
  constexpr char kWide[] =
      "int weigh(float8 v); kernel void k(global int* a) { *a = weigh(1.0f); }";
  EXPECT_NE(std::string::npos, log(kWide, CONCLAVE_TEST_PLAIN_OBJECT).find("a vector of 32 bytes"));
  EXPECT_NE(std::string::npos,
            log(kCall, CONCLAVE_TEST_ABSOLUTE_OBJECT).find("compile with -fPIC"));
}

// The cache does not give a program that was made with another object of the same name.
TEST_F(CCodeTest, AnotherObjectMakesAnotherProgram) {
  char folder[] = "/tmp/conclave-c-code-XXXXXX";
  ASSERT_NE(nullptr, mkdtemp(folder));
  const std::string object = std::string(folder) + "/answer.o";
  const auto answer_with = [&](int value) {
    std::ofstream(std::string(folder) + "/answer.c")
        << "int answer(void) { return " << value << "; }\n";
    const std::string command =
        CONCLAVE_TEST_C_COMPILER " -fPIC -c " + std::string(folder) + "/answer.c -o " + object;
    EXPECT_EQ(0, std::system(command.c_str()));
    program_ = build(context_, "int answer(void); kernel void k(global int* a) { *a = answer(); }",
                     object.c_str());
    return run("k", 1)[0];
  };
  EXPECT_EQ(5, answer_with(5));
  EXPECT_EQ(6, answer_with(6));
  EXPECT_EQ(0, std::system(("rm -r " + std::string(folder)).c_str()));
}

}  // namespace
}  // namespace conclave::test
