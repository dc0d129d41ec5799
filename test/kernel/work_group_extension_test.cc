// SPDX-License-Identifier: Apache-2.0
// Work-group functions of extensions, in OpenCL C's oldest version and in its newest.
#include <gtest/gtest.h>

#include <functional>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

const char* const kVersions[] = {"", "-cl-std=CL3.0"};

constexpr size_t kGroup = 37, kCount = 2 * kGroup;

// Reduction, inclusive and exclusive scan of `values`, whose groups begin with `identity`.
template <class T>
void check_operator(const std::string& name, const std::vector<T>& values, T identity,
                    const std::function<T(T, T)>& combine) {
  const std::string type = type_name<T>();
  const std::string source =
      "#ifndef cl_khr_work_group_uniform_arithmetic\n#error not there\n#endif\n"
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "kernel void test(global const " +
      type + "* in, global " + type +
      "* out) {"
      " size_t i = get_global_id(0), n = get_global_size(0); out[i] = work_group_reduce_" +
      name + "(in[i]); out[n + i] = work_group_scan_inclusive_" + name +
      "(in[i]); out[2 * n + i] = work_group_scan_exclusive_" + name + "(in[i]); }";
  std::vector<T> wanted(3 * kCount);
  for (size_t first = 0; first < kCount; first += kGroup) {
    T sum = identity;
    for (size_t i = first; i < first + kGroup; ++i) {
      wanted[2 * kCount + i] = sum;
      wanted[kCount + i] = sum = combine(sum, values[i]);
    }
    std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(first), kGroup, sum);
  }
  for (const char* version : kVersions) {
    const Program program(source, version);
    Buffer<T> out(3 * kCount);
    program.run("test", {{kCount}, {kGroup}}, Buffer<T>(values), out);
    const std::vector<T> got = out.read();
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(wanted[i], got[i]) << name << " of " << type << ", result " << i / kCount
                                   << " of work-item " << i % kCount << " " << version;
  }
}

template <class T>
std::vector<T> make_values(const std::function<T(size_t)>& value) {
  std::vector<T> values(kCount);
  for (size_t i = 0; i < kCount; ++i) values[i] = value(i);
  return values;
}

template <class T>
void check_integers() {
  // Some bits are set everywhere, some nowhere; products stay odd, and so do not vanish.
  const auto values = make_values<T>(
      [](size_t i) { return static_cast<T>(0x8000f0f1u ^ (i * 0x9e3779b9u & 0x00ffff00u)); });
  using Bits = std::make_unsigned_t<T>;
  check_operator<T>("mul", values, 1, [](T x, T y) { return static_cast<T>(Bits(x) * Bits(y)); });
  check_operator<T>("and", values, static_cast<T>(~T{0}), std::bit_and<T>());
  check_operator<T>("or", values, 0, std::bit_or<T>());
  check_operator<T>("xor", values, 0, std::bit_xor<T>());
}

TEST(UniformArithmetic, Integers) {
  check_integers<cl_int>();
  check_integers<cl_uint>();
  check_integers<cl_long>();
  check_integers<cl_ulong>();
}

// Powers of two have exact products.
TEST(UniformArithmetic, Reals) {
  const auto power = [](size_t i) { return i % 3 == 0 ? 0.25 : i % 3 == 1 ? 2.0 : -2.0; };
  check_operator<cl_float>(
      "mul", make_values<cl_float>([&](size_t i) { return static_cast<float>(power(i)); }), 1,
      std::multiplies<cl_float>());
  check_operator<cl_double>("mul", make_values<cl_double>(power), 1, std::multiplies<cl_double>());
}

TEST(UniformArithmetic, Half) {
  const Program program(
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
      "kernel void test(global float* out) { half x = get_local_id(0) % 2 ? 0.5h : 2.0h;"
      " out[get_global_id(0)] = work_group_scan_inclusive_mul(x); }");
  Buffer<cl_float> out(kCount);
  program.run("test", {{kCount}, {kGroup}}, out);
  const std::vector<cl_float> got = out.read();
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(i % kGroup % 2 ? 1.0f : 2.0f, got[i]) << i;
}

// All work-items, none, and the last of a group alone say yes.
TEST(UniformArithmetic, Predicates) {
  const std::function<cl_int(size_t)> predicates[] = {
      [](size_t) { return 6; }, [](size_t) { return 0; },
      [](size_t i) { return i % kGroup == kGroup - 1 ? -4 : 0; },
      [](size_t i) { return static_cast<cl_int>(i % 5); }};
  for (const auto& predicate : predicates) {
    const auto values = make_values<cl_int>(predicate);
    check_operator<cl_int>("logical_and", values, 1, std::logical_and<cl_int>());
    check_operator<cl_int>("logical_or", values, 0, std::logical_or<cl_int>());
    check_operator<cl_int>("logical_xor", values, 0,
                           [](cl_int x, cl_int y) { return (x != 0) != (y != 0); });
  }
}

// Shapes with gaps between lines and planes, to local memory and back to another shape. What lies in
// the gaps stays.
TEST(ExtendedAsyncCopies, Shapes) {
  for (const char* version : kVersions)
    for (const size_t bytes : {1, 3, 4, 16}) {
      const Program program(
          "#ifndef cl_khr_extended_async_copies\n#error not there\n#endif\n"
          "kernel void copy(global const uchar* in, global uchar* out, local uchar* shared,"
          "                 uint bytes) {"
          "  event_t event = async_work_group_copy_2D2D(shared, 2, in, 1, bytes, 5, 4, 9, 6, 0);"
          "  event = async_work_group_copy_3D3D(shared, 30, in, 3, bytes, 4, 2, 3, 6, 13, 4, 8,"
          "                                     event);"
          "  wait_group_events(1, &event);"
          "  event = async_work_group_copy_3D3D(out, 1, shared, 30, bytes, 4, 2, 3, 4, 8, 5, 11,"
          "                                     0);"
          "  async_work_group_copy_2D2D(out, 40, shared, 2, bytes, 5, 4, 6, 7, event);"
          "  wait_group_events(1, &event); }",
          version);
      constexpr size_t kElements = 70;
      std::vector<cl_uchar> in(kElements * bytes);
      for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<cl_uchar>(i * 7 + 1);
      std::vector<cl_uchar> wanted(kElements * bytes, 0xee);
      const auto move = [&](size_t to, size_t from) {
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(from * bytes), bytes,
                    wanted.begin() + static_cast<std::ptrdiff_t>(to * bytes));
      };
      for (size_t line = 0; line < 4; ++line)
        for (size_t i = 0; i < 5; ++i) move(40 + 7 * line + i, 1 + 9 * line + i);
      for (size_t plane = 0; plane < 3; ++plane)
        for (size_t line = 0; line < 2; ++line)
          for (size_t i = 0; i < 4; ++i)
            move(1 + 11 * plane + 5 * line + i, 3 + 13 * plane + 6 * line + i);
      Buffer<cl_uchar> out(std::vector<cl_uchar>(wanted.size(), 0xee));
      program.run("copy", {{8}, {8}}, Buffer<cl_uchar>(in), out, Local{kElements * bytes},
                  static_cast<cl_uint>(bytes));
      EXPECT_EQ(wanted, out.read()) << bytes << " bytes " << version;
    }
}

}  // namespace
}  // namespace conclave::test
