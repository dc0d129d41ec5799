// SPDX-License-Identifier: Apache-2.0
// cl_ext_float_atomics: sums, least and greatest numbers in half, float and double.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr size_t kItems = 1024, kLocal = 64;

// A kernel in which every work-item applies each function to the cells of its work-group (local) or
// of all (global, and behind generic pointers), and then one writes them out as floats. Small whole
// numbers are exact in every type and any order.
std::string source(const std::string& type, const std::string& space) {
  const std::string cell = space + " atomic_" + type;
  const bool is_local = space == "local";
  return "kernel void k(global atomic_" + type + "* all, global float* out, uint items) {\n" +
         (is_local ? "  local atomic_" + type +
                         " cells[7];\n  if (get_local_id(0) == 0)\n"
                         "    for (int i = 0; i < 7; ++i) atomic_store(&cells[i], (" +
                         type + ")i);\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                   : "  " + cell + "* cells = all;\n") +
         "  int n = get_global_id(0) % 64;\n"
         "  atomic_fetch_add(&cells[0], (" +
         type +
         ")(n & 1));\n"
         "  atomic_fetch_sub(&cells[1], (" +
         type +
         ")(n & 1));\n"
         "  atomic_fetch_min(&cells[2], (" +
         type +
         ")-n);\n"
         "  atomic_fetch_max(&cells[3], (" +
         type +
         ")n);\n"
         "  atomic_fetch_add_explicit(&cells[4], (" +
         type +
         ")1, memory_order_relaxed);\n"
         "  atomic_fetch_min_explicit(&cells[5], (" +
         type +
         ")(n - 9), memory_order_acq_rel,\n"
         "                            memory_scope_device);\n"
         "  if (n == 33) atomic_exchange(&cells[6], (" +
         type + ")2.5f);\n" +
         (is_local ? "  barrier(CLK_LOCAL_MEM_FENCE);\n  if (get_global_id(0) == 0)\n"
                     "    for (int i = 0; i < 7; ++i) out[i] = (float)atomic_load(&cells[i]);\n}\n"
                   : "}\n") +
         "kernel void set(global atomic_" + type +
         "* all) {\n"
         "  for (int i = 0; i < 7; ++i) atomic_store(&all[i], (" +
         type +
         ")i);\n}\n"
         "kernel void get(global atomic_" +
         type +
         "* all, global float* out) {\n"
         "  for (int i = 0; i < 7; ++i)\n"
         "    out[i] = (float)atomic_load_explicit(&all[i], memory_order_acquire);\n}\n";
}

void check(const std::string& type, const std::string& space, const char* options) {
  SCOPED_TRACE(type + " in " + space + " memory, " + options);
  Program program("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + source(type, space), options);
  Buffer<cl_double> all(7);  // room for any of the types
  Buffer<cl_float> out(7);
  program.run("set", {{1}}, all);
  program.run("k", {{kItems}, {kLocal}}, all, out, static_cast<cl_uint>(kItems));
  if (space != "local") program.run("get", {{1}}, all, out);
  const float items = space == "local" ? kLocal : kItems;
  EXPECT_EQ(out.read(),
            (std::vector<cl_float>{items / 2, 1 - items / 2, -63, 63, 4 + items, -9, 2.5f}));
}

TEST(FloatAtomics, AllTypesAndSpaces) {
  for (const char* type : {"half", "float", "double"})
    for (const char* space : {"global", "local", ""}) check(type, space, "-cl-std=CL3.0");
  check("float", "global", "-cl-std=CL2.0");
  check("double", "global", "-cl-std=CL3.0 -cl-conclave-width=1");
}

// Sums of numbers that are not whole: what is lost by rounding is less than one step for each.
TEST(FloatAtomics, SumsOfManyGroups) {
  Program program(R"(
    kernel void k(global atomic_double* sum, global const float* in) {
      local atomic_double group;
      if (get_local_id(0) == 0) atomic_init(&group, 0.0);
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_fetch_add_explicit(&group, (double)in[get_global_id(0)], memory_order_relaxed,
                                memory_scope_work_group);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) atomic_fetch_add(sum, atomic_load(&group));
    })",
                  "-cl-std=CL3.0");
  std::vector<cl_float> in(1 << 14);
  double expected = 0;
  for (size_t i = 0; i < in.size(); ++i) expected += in[i] = std::sqrt(static_cast<float>(i));
  Buffer<cl_float> numbers(in);
  Buffer<cl_double> sum({0.0});
  program.run("k", {{in.size()}, {kLocal}}, sum, numbers);
  EXPECT_NEAR(sum.read()[0], expected, expected * 1e-12);
}

TEST(FloatAtomics, MacrosNameThem) {
  Program program(R"(
    kernel void k(global int* out) {
    #if defined(cl_ext_float_atomics) && defined(__opencl_c_ext_fp16_global_atomic_load_store) && \
        defined(__opencl_c_ext_fp16_local_atomic_load_store) && \
        defined(__opencl_c_ext_fp32_global_atomic_add) && \
        defined(__opencl_c_ext_fp32_local_atomic_min_max) && \
        defined(__opencl_c_ext_fp64_global_atomic_min_max) && \
        defined(__opencl_c_ext_fp64_local_atomic_add)
      *out = 1;
    #endif
    })",
                  "-cl-std=CL3.0");
  Buffer<cl_int> out({0});
  program.run("k", {{1}}, out);
  EXPECT_EQ(out.read()[0], 1);
}

}  // namespace
}  // namespace conclave::test
