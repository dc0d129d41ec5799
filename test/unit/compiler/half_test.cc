// SPDX-License-Identifier: Apache-2.0
// Half precision for CPUs with and without instructions that convert it.
#include <gtest/gtest.h>

#include <CL/cl_half.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

constexpr size_t kHalves = 1 << 16;

// x runs through all halves, y through all in another order; z is between two halves.
constexpr char kSource[] = R"(
  #pragma OPENCL EXTENSION cl_khr_fp16 : enable
  kernel void k(global const half* xs, global const half* ys, global const float* zs,
                global float* longer, global half* shorter, global half* sums, global half* signs,
                global half* loops) {
    size_t i = get_global_id(0);
    half x = xs[i], y = ys[i];
    longer[i] = x;
    shorter[i] = zs[i];
    sums[i] = x + y;
    signs[i] = copysign(y, -x) + fabs(x) * 0.0h;
    half sum = 0;
    for (int n = 0; n < (i & 7); ++n)
      if (fabs(x) < (half)(n * 100)) sum += select(x, y, (short)(n & 1));
    loops[i] = as_half((ushort)(as_ushort(sum) ^ 0x8000));
  })";

struct Results {
  std::vector<float> longer = std::vector<float>(kHalves);
  std::vector<cl_half> shorter = std::vector<cl_half>(kHalves), sums = shorter, signs = shorter,
                       loops = shorter;
};

struct Inputs {
  std::vector<cl_half> xs, ys;
  std::vector<float> zs;
};

Inputs make_inputs() {
  Inputs in;
  for (size_t i = 0; i < kHalves; ++i) {
    in.xs.push_back(static_cast<cl_half>(i));
    in.ys.push_back(static_cast<cl_half>(i * 40503));
    // The middle of two neighbours, or one of the floats beside it.
    const float low = cl_half_to_float(static_cast<cl_half>(i));
    const float high = cl_half_to_float(static_cast<cl_half>(i + 1));
    const auto middle = std::bit_cast<uint32_t>((low + high) / 2);
    in.zs.push_back(std::bit_cast<float>(static_cast<uint32_t>(middle + i / 7 % 3 - 1)));
  }
  return in;
}

Results run(const Inputs& in, const std::string& cpu, const std::string& options) {
  protocol::Request request;
  request.source = kSource;
  request.target_cpu = cpu;
  request.options = options;
  CompiledProgram program(request);
  Results out;
  program.run("k",
              Arguments()
                  .add(in.xs.data())
                  .add(in.ys.data())
                  .add(in.zs.data())
                  .add(out.longer.data())
                  .add(out.shorter.data())
                  .add(out.sums.data())
                  .add(out.signs.data())
                  .add(out.loops.data()),
              range1(kHalves, 256));
  return out;
}

bool same(cl_half got, cl_half wanted) {
  const auto is_nan = [](cl_half half) { return (half & 0x7fff) > 0x7c00; };
  return got == wanted || (is_nan(got) && is_nan(wanted));
}

cl_half half_of(double x) {
  return cl_half_from_double(x, CL_HALF_RTE);
}

cl_half looped(cl_half x, cl_half y, size_t i) {
  const float fx = cl_half_to_float(x), fy = cl_half_to_float(y);
  cl_half sum = 0;
  for (size_t n = 0; n < (i & 7); ++n)
    if (std::fabs(fx) < static_cast<float>(n * 100))
      sum = half_of(double{cl_half_to_float(sum)} + (n & 1 ? fy : fx));
  return sum ^ 0x8000;
}

void expect_right(const Inputs& in, const Results& out) {
  for (size_t i = 0; i < kHalves; ++i) {
    const float x = cl_half_to_float(in.xs[i]), y = cl_half_to_float(in.ys[i]);
    ASSERT_TRUE(std::isnan(x) ? std::isnan(out.longer[i]) : out.longer[i] == x) << x;
    ASSERT_EQ(std::signbit(out.longer[i]), std::signbit(x)) << x;
    ASSERT_TRUE(same(out.shorter[i], cl_half_from_float(in.zs[i], CL_HALF_RTE))) << in.zs[i];
    ASSERT_TRUE(same(out.sums[i], half_of(double{x} + y))) << x << " + " << y;
    if (std::isfinite(x)) {
      ASSERT_TRUE(same(out.signs[i], half_of(std::copysign(y, -x) + 0.0))) << x << ", " << y;
    }
    ASSERT_TRUE(same(out.loops[i], looped(in.xs[i], in.ys[i], i))) << x << ", " << y;
  }
}

class Half : public testing::TestWithParam<const char*> {};

TEST_P(Half, IsRightOnEveryCpu) {
  const Inputs in = make_inputs();
  for (const char* options : {"", "-cl-conclave-width=1", "-cl-opt-disable"}) {
    SCOPED_TRACE(options);
    expect_right(in, run(in, GetParam(), options));
  }
}
INSTANTIATE_TEST_SUITE_P(Cpus, Half, testing::Values("x86-64", "x86-64-v2", "x86-64-v3"));

}  // namespace
}  // namespace conclave::test
