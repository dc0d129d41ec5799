// SPDX-License-Identifier: Apache-2.0
// Work-group functions of every type, in groups of all shapes, against a reference on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "test/kernel/half.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// Everything in one kernel, so that results also have to survive the next call.
constexpr char kKernel[] = R"(
  #pragma OPENCL EXTENSION cl_khr_fp16 : enable
  kernel void test(global const T* in, global T* out) {
    size_t n = get_global_size(0) * get_global_size(1), g = get_global_linear_id();
    T x = in[g];
    out[g] = work_group_reduce_add(x);
    out[n + g] = work_group_scan_inclusive_add(x);
    out[2 * n + g] = work_group_scan_exclusive_add(x);
    out[3 * n + g] = work_group_reduce_min(x);
    out[4 * n + g] = work_group_scan_inclusive_min(x);
    out[5 * n + g] = work_group_scan_exclusive_min(x);
    out[6 * n + g] = work_group_reduce_max(x);
    out[7 * n + g] = work_group_scan_inclusive_max(x);
    out[8 * n + g] = work_group_scan_exclusive_max(x);
    out[9 * n + g] = work_group_all(x > 1);
    out[10 * n + g] = work_group_any(x > 6);
    out[11 * n + g] = work_group_broadcast(x, get_local_size(0) - 1, get_local_size(1) / 2);
  })";
constexpr int kResults = 12;

const Range kRanges[] = {{{128, 1}, {64, 1}}, {{15, 1}, {5, 1}}, {{74, 2}, {37, 1}},
                         {{32, 6}, {16, 3}},  {{12, 4}, {6, 2}}, {{50, 3}, {20, 2}},
                         {{3, 1}, {1, 1}},    {{40, 5}, {7, 5}}};

template <class T>
T extreme(bool most) {
  using Limits = std::numeric_limits<T>;
  if (Limits::has_infinity) return most ? Limits::infinity() : T(-Limits::infinity());
  return most ? Limits::max() : Limits::lowest();
}

// The linear ids of the group that begins at (x, y), in the order of local linear ids.
std::vector<size_t> members(const Range& range, size_t x, size_t y) {
  std::vector<size_t> ids;
  for (size_t j = y; j < std::min(y + range.local[1], range.global[1]); ++j)
    for (size_t i = x; i < std::min(x + range.local[0], range.global[0]); ++i)
      ids.push_back(j * range.global[0] + i);
  return ids;
}

// What one group has to write to `out`.
template <class T>
void expect_group(const std::vector<T>& in, const std::vector<size_t>& ids, size_t from_one,
                  std::vector<T>& out) {
  const size_t n = in.size();
  T sum(0), least = extreme<T>(true), most = extreme<T>(false);
  for (size_t g : ids) {
    out[2 * n + g] = sum;
    out[5 * n + g] = least;
    out[8 * n + g] = most;
    out[n + g] = sum = static_cast<T>(sum + in[g]);
    out[4 * n + g] = least = std::min(least, in[g]);
    out[7 * n + g] = most = std::max(most, in[g]);
  }
  for (size_t g : ids) {
    out[g] = sum;
    out[3 * n + g] = least;
    out[6 * n + g] = most;
    out[9 * n + g] = T(least > 1);
    out[10 * n + g] = T(most > 6);
    out[11 * n + g] = in[from_one];
  }
}

template <class T>
void check(const std::string& type, const std::string& options = "") {
  const Program program(kKernel, "-cl-std=CL3.0 -DT=" + type + " " + options);
  for (const Range& range : kRanges) {
    const size_t n = range.global[0] * range.global[1];
    std::vector<T> in(n), expected(n * kResults);
    for (size_t g = 0; g < n; ++g) in[g] = T(g * 7 % 11 + (g % 40 < 20 ? 1 : 0));
    for (size_t y = 0; y < range.global[1]; y += range.local[1])
      for (size_t x = 0; x < range.global[0]; x += range.local[0]) {
        const std::vector<size_t> ids = members(range, x, y);
        const size_t width = std::min(range.local[0], range.global[0] - x);
        const size_t height = ids.size() / width;
        expect_group(in, ids, ids[height / 2 * width + width - 1], expected);
      }
    Buffer<T> values(in), out(expected.size());
    program.run("test", range, values, out);
    const std::vector<T> actual = out.read();
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(expected[i], actual[i])
          << type << ", result " << i / n << " of work-item " << i % n << ", local size "
          << range.local[0] << "x" << range.local[1] << " " << options;
  }
}

TEST(WorkGroupFunctions, EveryType) {
  check<cl_int>("int");
  check<cl_uint>("uint");
  if (tries("long")) check<cl_long>("long");
  if (tries("ulong")) check<cl_ulong>("ulong");
  check<Half>("half");
  check<cl_float>("float");
  if (tries("double")) check<cl_double>("double");
}

TEST(WorkGroupFunctions, EveryWidth) {
  if (!Device::get().is_conclave()) GTEST_SKIP() << "its build options";
  for (const char* width : {"1", "4", "16"})
    check<cl_int>("int", std::string("-cl-conclave-width=") + width);
  check<cl_float>("float", "-cl-opt-disable");
}

// In loops that all work-items leave together because of what a function says.
TEST(WorkGroupFunctions, DecidesForAll) {
  const Program program(R"(
    kernel void halve(global uint* x) {
      size_t g = get_global_id(0);
      uint value = x[g], rounds = 0;
      while (work_group_any(value > 1)) {
        value = value > 1 ? value / 2 : value;
        ++rounds;
        if (work_group_all(value < 4)) rounds += 100;
      }
      x[g] = rounds;
    })",
                        "-cl-std=CL3.0");
  std::vector<cl_uint> values(96, 1);
  values[3] = 9;    // of the first group: 9 4 2 1, below 4 from the second round on
  values[70] = 64;  // of the third: 6 rounds, below 4 in the last two
  Buffer<cl_uint> x(values);
  program.run("halve", {{96}, {32}}, x);
  const std::vector<cl_uint> rounds = x.read();
  for (size_t g = 0; g < 96; ++g) EXPECT_EQ(rounds[g], g < 32 ? 203u : g < 64 ? 0u : 206u) << g;
}

TEST(WorkGroupFunctions, IsNoPartOfOlderLanguages) {
  EXPECT_THROW(
      Program("kernel void k(global int* x) { *x = work_group_any(*x); }", "-cl-std=CL1.2"),
      std::runtime_error);
}

}  // namespace
}  // namespace conclave::test
