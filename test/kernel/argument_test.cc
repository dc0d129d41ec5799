// SPDX-License-Identifier: Apache-2.0
// Kernel arguments of every kind, and variables at program scope.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// Values of `width` elements between chars, so that alignment shows.
template <class T>
void check_vector_arguments() {
  std::string type = type_name<T>(), source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  for (std::string n : {"2", "3", "4", "8", "16"})
    source += "kernel void k" + n + "(char before, " + type + n + " v, char after, global " + type +
              "* out) {\n  vstore" + n + "(v, 0, out); out[16] = before; out[17] = after;\n}\n";
  source += "kernel void k1(char before, " + type + " v, char after, global " + type +
            "* out) {\n  out[0] = v; out[16] = before; out[17] = after;\n}\n";
  Program program(source);
  auto check = [&]<size_t kWidth>() {
    struct alignas(sizeof(T) * (kWidth == 3 ? 4 : kWidth)) Vector {
      T elements[kWidth == 3 ? 4 : kWidth];
    } value{};
    for (size_t i = 0; i < kWidth; ++i) value.elements[i] = static_cast<T>(i * 3 + 1);
    Buffer<T> out(18);
    program.run(("k" + std::to_string(kWidth)).c_str(), {{1}}, cl_char{11}, value, cl_char{22},
                out);
    std::vector<T> results = out.read();
    for (size_t i = 0; i < kWidth; ++i) EXPECT_EQ(results[i], value.elements[i]) << type << kWidth;
    EXPECT_EQ(results[16], T(11)) << type << kWidth;
    EXPECT_EQ(results[17], T(22)) << type << kWidth;
  };
  check.template operator()<1>();
  check.template operator()<2>();
  check.template operator()<3>();
  check.template operator()<4>();
  check.template operator()<8>();
  check.template operator()<16>();
}

TEST(Arguments, Vectors) {
  check_vector_arguments<cl_char>();
  check_vector_arguments<cl_ushort>();
  check_vector_arguments<cl_int>();
  check_vector_arguments<cl_ulong>();
  check_vector_arguments<cl_float>();
  check_vector_arguments<cl_double>();
}

TEST(Arguments, Structures) {
  Program program(R"(
    typedef struct { char c; float4 v; short s[3]; } Inner;
    typedef struct { int a; double b; Inner inner; char end; } Outer;
    kernel void k(char first, Outer o, global float* out) {
      out[0] = first; out[1] = o.a; out[2] = o.b; out[3] = o.inner.c;
      vstore4(o.inner.v, 1, out);
      out[8] = o.inner.s[0]; out[9] = o.inner.s[1]; out[10] = o.inner.s[2]; out[11] = o.end;
      o.a += 1;
      out[12] = o.a;
      out[13] = sizeof(Outer);
    })");
  struct Inner {
    cl_char c;
    cl_float4 v;
    cl_short s[3];
  };
  struct Outer {
    cl_int a;
    cl_double b;
    Inner inner;
    cl_char end;
  };
  Outer outer{1, 2.5, {3, {{4, 5, 6, 7}}, {8, 9, 10}}, 11};
  Buffer<cl_float> out(14);
  program.run("k", {{1}}, cl_char{42}, outer, out);
  std::vector<cl_float> expected = {42, 1, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2, sizeof(Outer)};
  EXPECT_EQ(out.read(), expected);
}

// Each work-item has its own copy of a structure that the kernel changes.
TEST(Arguments, StructuresArePrivate) {
  Program program(R"(
    typedef struct { int values[8]; } Table;
    kernel void k(Table t, global int* out) {
      int i = get_global_id(0);
      t.values[i % 8] += i;
      barrier(CLK_GLOBAL_MEM_FENCE);
      int sum = 0;
      for (int j = 0; j < 8; ++j) sum += t.values[j];
      out[i] = sum;
    })");
  struct Table {
    cl_int values[8];
  } table{{1, 2, 3, 4, 5, 6, 7, 8}};
  Buffer<cl_int> out(32);
  program.run("k", {{32}, {16}}, table, out);
  std::vector<cl_int> expected(32);
  std::iota(expected.begin(), expected.end(), 36);
  EXPECT_EQ(out.read(), expected);
}

TEST(Arguments, SeveralLocalBlocks) {
  Program program(R"(
    kernel void k(local char* a, local double4* b, global int* out, local short* c) {
      local int own[3];
      int l = get_local_id(0);
      a[l] = l; b[l] = (double4)(l * 2); c[l] = l * 3;
      if (l < 3) own[l] = l * 4;
      barrier(CLK_LOCAL_MEM_FENCE);
      int o = get_local_size(0) - 1 - l;
      out[get_global_id(0)] = a[o] + (int)b[o].s3 * 10 + c[o] * 100 + own[o % 3] * 10000;
      if ((ulong)b % 32 != 0) out[get_global_id(0)] = -1;
    })");
  Buffer<cl_int> out(10);
  program.run("k", {{10}, {5}}, Local{5}, Local{5 * 32}, out, Local{5 * 2});
  std::vector<cl_int> results = out.read();
  for (int i = 0; i < 10; ++i) {
    int o = 4 - i % 5;
    EXPECT_EQ(results[i], o + 2 * o * 10 + 3 * o * 100 + o % 3 * 4 * 10000);
  }
}

TEST(Arguments, ConstantMemoryAndNullPointers) {
  Program program(R"(
    kernel void k(constant int* table, global int* maybe, global int* out) {
      size_t i = get_global_id(0);
      out[i] = table[i % 4] + (maybe ? maybe[i] : 1000);
    })");
  Buffer<cl_int> table({10, 20, 30, 40}), maybe({1, 2, 3, 4, 5, 6, 7, 8}), out(8);
  program.run("k", {{8}}, table, maybe, out);
  EXPECT_EQ(out.read(), (std::vector<cl_int>{11, 22, 33, 44, 15, 26, 37, 48}));
  program.run("k", {{8}}, table, static_cast<cl_mem>(nullptr), out);
  EXPECT_EQ(out.read(), (std::vector<cl_int>{1010, 1020, 1030, 1040, 1010, 1020, 1030, 1040}));
}

TEST(ProgramScope, ConstantTables) {
  Program program(R"(
    constant int primes[] = {2, 3, 5, 7, 11, 13};
    constant float4 unit = (float4)(1, 2, 3, 4);
    constant struct { char c; int2 v; } record = {7, (int2)(8, 9)};
    kernel void k(global int* out) {
      size_t i = get_global_id(0);
      constant int* p = &primes[i % 6];
      out[i] = *p + (int)unit.z * 100 + record.v.y * 1000 + record.c * 100000;
    })");
  Buffer<cl_int> out(6);
  program.run("k", {{6}}, out);
  EXPECT_EQ(out.read(), (std::vector<cl_int>{709302, 709303, 709305, 709307, 709311, 709313}));
}

// Variables in global memory at program scope and static ones in functions keep their values from
// launch to launch (OpenCL C 3.0 with __opencl_c_program_scope_global_variables).
TEST(ProgramScope, GlobalVariablesKeepTheirValues) {
  Program program(R"(
    global int counter = 5;
    global int table[4] = {1, 2, 3, 4};
    global int* pointer = &table[2];
    kernel void add(int n) {
      static global int calls = 0;
      counter += n;
      ++calls;
      table[0] = calls;
    }
    kernel void look(global int* out) {
      out[0] = counter; out[1] = table[0]; out[2] = *pointer; out[3] = table[3];
    })",
                  "-cl-std=CL3.0");
  Buffer<cl_int> out(4);
  program.run("look", {{1}}, out);
  EXPECT_EQ(out.read(), (std::vector<cl_int>{5, 1, 3, 4}));
  program.run("add", {{1}}, cl_int{10});
  program.run("add", {{1}}, cl_int{20});
  program.run("look", {{1}}, out);
  EXPECT_EQ(out.read(), (std::vector<cl_int>{35, 2, 3, 4}));
}

TEST(ProgramScope, KernelsCallKernels) {
  Program program(R"(
    kernel void inner(global int* out, int n) { out[get_global_id(0)] += n; }
    kernel void outer(global int* out) { inner(out, 3); inner(out, 4); }
  )");
  Buffer<cl_int> out(16);
  program.run("outer", {{16}, {4}}, out);
  EXPECT_EQ(out.read(), std::vector<cl_int>(16, 7));
}

}  // namespace
}  // namespace conclave::test
