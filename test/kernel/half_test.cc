// SPDX-License-Identifier: Apache-2.0
// Half precision (cl_khr_fp16): what is reported, the operators, and the functions of one argument
// on every half. The other tests of this folder treat half like float and double.
#include <gtest/gtest.h>

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "test/kernel/builtin_table.h"
#include "test/kernel/half.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

constexpr char kExtension[] = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
constexpr double kPi = 3.14159265358979323846;

TEST(Half, IsReported) {
  char extensions[4096] = "";
  require(clGetDeviceInfo(Device::get().id(), CL_DEVICE_EXTENSIONS, sizeof extensions, extensions,
                          nullptr),
          "clGetDeviceInfo");
  EXPECT_NE(std::string(extensions).find("cl_khr_fp16"), std::string::npos);
  cl_device_fp_config config = 0;
  require(clGetDeviceInfo(Device::get().id(), CL_DEVICE_HALF_FP_CONFIG, sizeof config, &config,
                          nullptr),
          "clGetDeviceInfo");
  EXPECT_TRUE(config & CL_FP_ROUND_TO_NEAREST);
  EXPECT_TRUE(config & CL_FP_INF_NAN);
}

TEST(Half, NeedsItsPragma) {
  try {
    Program("kernel void k(global half* a) {\n  half x = *a;\n}");
    FAIL() << "built";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(":2:"), std::string::npos) << error.what();
  }
}

std::vector<Builtin> operators() {
  return {exact<Half, Half, Half>("$0 + $1", [](double x, double y) { return x + y; }),
          exact<Half, Half, Half>("$0 - $1", [](double x, double y) { return x - y; }),
          exact<Half, Half, Half>("$0 * $1", [](double x, double y) { return x * y; }),
          exact<Half, Half, Half>("$0 / $1", [](double x, double y) { return x / y; }),
          exact<Half, Half>("-$0", [](double x) { return -x; }),
          exact<Half, Half, Half, Half>("$0 < $1 ? $2 : -$2",
                                        [](float x, float y, float z) { return x < y ? z : -z; }),
          exact<Half, Half, Half>("$0 * (half)0.5h + (half$N)1",
                                  [](double x, double) { return x * 0.5 + 1; })};
}

TEST(Half, Operators) {
  check_builtins(operators());
}
TEST(Half, OperatorsNotOptimized) {
  check_builtins(operators(), "-cl-opt-disable");
}

// What a cast or an assignment does is the same for scalars only.
TEST(Half, Casts) {
  Program program(std::string(kExtension) + R"(
    kernel void k(global const double* d, global const long* l, global half* out) {
      size_t i = get_global_id(0), n = get_global_size(0);
      out[i] = d[i];
      out[n + i] = (half)l[i];
      out[2 * n + i] = (float)d[i];
      l = (global const long*)d;
      out[3 * n + i] = (half)(uint)l[i];
    })");
  std::vector<cl_double> reals = interesting_values<cl_double>(960, 0);
  const std::vector<cl_long> integers = interesting_values<cl_long>(960, 0);
  for (cl_double& value : reals)
    if (std::isnan(value)) value = 2049.0 + 0x1p-40;  // just above the middle of two halves
  const size_t n = reals.size();
  Buffer<cl_double> d(reals);
  Buffer<cl_long> l(integers);
  Buffer<Half> out(4 * n);
  program.run("k", {{n}}, d, l, out);
  const std::vector<Half> results = out.read();
  for (size_t i = 0; i < n; ++i) {
    EXPECT_EQ(compare_exactly(results[i], Half(reals[i])), "") << reals[i];
    EXPECT_EQ(compare_exactly(results[n + i], Half(static_cast<double>(integers[i]))), "")
        << integers[i];
    EXPECT_EQ(compare_exactly(results[2 * n + i], Half(static_cast<float>(reals[i]))), "")
        << reals[i];
    const auto low = static_cast<cl_uint>(std::bit_cast<cl_long>(reals[i]));
    EXPECT_EQ(compare_exactly(results[3 * n + i], Half(static_cast<double>(low))), "") << low;
  }
}

struct Function {
  const char* name;
  double (*reference)(double);
};

double gamma_of(double x) {
  return x < 0 && x == std::floor(x) ? NAN : std::tgamma(x);
}
double sine_pi(double x) {
  const double part = std::fmod(x, 2.0);  // exact, as is x
  return std::fmod(part, 1.0) == 0 ? std::copysign(0.0, x) : std::sin(part * kPi);
}
double cosine_pi(double x) {
  const double part = std::fabs(std::fmod(x, 2.0));
  return std::fmod(part, 1.0) == 0.5 ? 0.0 : std::cos(part * kPi);
}

constexpr Function kFunctions[] = {
    {"acos", std::acos},
    {"acosh", std::acosh},
    {"acospi", [](double x) { return std::acos(x) / kPi; }},
    {"asin", std::asin},
    {"asinh", std::asinh},
    {"asinpi", [](double x) { return std::asin(x) / kPi; }},
    {"atan", std::atan},
    {"atanh", std::atanh},
    {"atanpi", [](double x) { return std::atan(x) / kPi; }},
    {"cbrt", std::cbrt},
    {"ceil", std::ceil},
    {"cos", std::cos},
    {"cosh", std::cosh},
    {"cospi", cosine_pi},
    {"degrees", [](double x) { return x * (180 / kPi); }},
    {"erf", std::erf},
    {"erfc", std::erfc},
    {"exp", std::exp},
    {"exp10", [](double x) { return std::pow(10.0, x); }},
    {"exp2", std::exp2},
    {"expm1", std::expm1},
    {"fabs", std::fabs},
    {"floor", std::floor},
    {"log", std::log},
    {"log10", std::log10},
    {"log1p", std::log1p},
    {"log2", std::log2},
    {"logb", std::logb},
    {"radians", [](double x) { return x * (kPi / 180); }},
    {"rint", std::rint},
    {"round", std::round},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"sin", std::sin},
    {"sinh", std::sinh},
    {"sinpi", sine_pi},
    {"sqrt", std::sqrt},
    {"tan", std::tan},
    {"tanh", std::tanh},
    {"tgamma", gamma_of},
    {"trunc", std::trunc},
};

// Half a unit for the rounding to half, the rest for the function of float.
constexpr double kAllowed = 0.502;
constexpr size_t kHalves = 1 << 16;

std::string source(int width) {
  const std::string n = std::to_string(width);
  std::string text = kExtension;
  for (const Function& function : kFunctions) {
    text += std::string("kernel void run_") + function.name +
            "(global const half* in, global half* out) {\n  size_t i = get_global_id(0);\n  ";
    text += width == 1
                ? std::string("out[i] = ") + function.name + "(in[i]);\n}\n"
                : "vstore" + n + "(" + function.name + "(vload" + n + "(i, in)), i, out);\n}\n";
  }
  return text;
}

void check_all_halves(const std::string& options, int width) {
  std::vector<Half> halves(kHalves);
  for (size_t i = 0; i < kHalves; ++i) halves[i] = half_of_bits(static_cast<cl_half>(i));
  Buffer<Half> in(halves), out(kHalves);
  const Program program(source(width), options);
  for (const Function& function : kFunctions) {
    const std::string kernel = std::string("run_") + function.name;
    program.run(kernel.c_str(), {{kHalves / static_cast<size_t>(width)}}, in, out);
    const std::vector<Half> results = out.read();
    int failures = 0;
    for (size_t i = 0; i < kHalves && failures < 3; ++i) {
      const std::string wrong =
          compare_within<Half>(results[i], function.reference(double{halves[i]}), kAllowed);
      if (wrong.empty()) continue;
      ADD_FAILURE() << function.name << " of " << halves[i] << ", width " << width << " with '"
                    << options << "': " << wrong;
      ++failures;
    }
  }
}

TEST(HalfMath, Vectorized) {
  check_all_halves("", 1);
}
TEST(HalfMath, NotVectorized) {
  check_all_halves("-cl-conclave-width=1", 1);
}
TEST(HalfMath, NotOptimized) {
  check_all_halves("-cl-opt-disable", 1);
}
TEST(HalfMath, VectorTypes) {
  check_all_halves("", 2);
  check_all_halves("", 4);
  check_all_halves("-cl-conclave-width=1", 16);
}
// Halves have their subnormal numbers whatever becomes of those of float.
TEST(HalfMath, DenormsAreZero) {
  check_all_halves("-cl-denorms-are-zero", 1);
}

TEST(Half, AsyncCopies) {
  Program program(std::string(kExtension) + R"(
    kernel void k(global const half3* in, global half3* out, local half3* shared) {
      event_t event = async_work_group_copy(shared, in, 8, 0);
      wait_group_events(1, &event);
      shared[get_local_id(0)] += (half3)1;
      barrier(CLK_LOCAL_MEM_FENCE);
      event = async_work_group_strided_copy(out, shared, 4, 2, 0);
      wait_group_events(1, &event);
    })");
  std::vector<Half> values(32);
  for (size_t i = 0; i < values.size(); ++i) values[i] = Half(static_cast<double>(i));
  Buffer<Half> in(values), out(values);
  program.run("k", {{8}, {8}}, in, out, Local{64});
  const std::vector<Half> results = out.read();
  for (size_t i = 0; i < 4; ++i)
    for (size_t c = 0; c < 3; ++c)
      EXPECT_EQ(results[8 * i + c], static_cast<float>(4 * i + c + 1)) << i << "." << c;
}

Owned<cl_mem, clReleaseMemObject> make_image(cl_channel_type type, std::vector<float> colors) {
  const cl_image_format format = {CL_RGBA, type};
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = colors.size() / 4;
  description.image_height = 1;
  std::vector<cl_half> halves;
  for (float color : colors) halves.push_back(Half(color).bits);
  cl_int status;
  Owned<cl_mem, clReleaseMemObject> image(
      clCreateImage(Device::get().context(), CL_MEM_COPY_HOST_PTR, &format, &description,
                    type == CL_FLOAT ? static_cast<void*>(colors.data()) : halves.data(), &status));
  require(status, "clCreateImage");
  return image;
}

// Colors come as the halves nearest to those that read_imagef gives, and go out as they are.
TEST(Half, Images) {
  const Program program(std::string(kExtension) + R"(
    constant sampler_t nearest = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
    constant sampler_t linear = CLK_FILTER_LINEAR | CLK_ADDRESS_CLAMP_TO_EDGE;
    kernel void k(read_only image2d_t in, write_only image2d_t copy, global half4* out) {
      int2 place = (int2)(get_global_id(0), 0);
      float2 between = convert_float2(place) + 0.75f;
      out += 3 * place.x;
      out[0] = read_imageh(in, place);
      out[1] = read_imageh(in, nearest, place);
      out[2] = read_imageh(in, linear, between);
      write_imageh(copy, place, out[0] * 2.0h);
    })");
  const std::vector<float> colors = {0,       0.1f,    -3.7f, 65519, 2049, 1e-7f, 1.0f / 3, 5,
                                     1.0005f, 7777.7f, 1e6f,  -0.0f, 8,    2.5f,  1000,     0};
  const size_t n = colors.size() / 4;
  for (const cl_channel_type type : {CL_FLOAT, CL_HALF_FLOAT}) {
    const auto in = make_image(type, colors);
    const auto copy = make_image(CL_FLOAT, std::vector<float>(colors.size()));
    Buffer<Half> out(3 * colors.size());
    program.run("k", {{n}}, in.get(), copy.get(), out);
    const std::vector<Half> results = out.read();
    std::vector<float> copied(colors.size());
    const size_t origin[3] = {}, region[3] = {n, 1, 1};
    require(clEnqueueReadImage(Device::get().queue(), copy.get(), CL_TRUE, origin, region, 0, 0,
                               copied.data(), 0, nullptr, nullptr),
            "clEnqueueReadImage");
    for (size_t i = 0; i < colors.size(); ++i) {
      const size_t at = i / 4 * 12 + i % 4, next = std::min(i + 4, colors.size() - 4 + i % 4);
      const Half wanted(colors[i]);
      EXPECT_EQ(compare_exactly(results[at], wanted), "") << i;
      EXPECT_EQ(compare_exactly(results[at + 4], wanted), "") << i;
      EXPECT_EQ(copied[i], Half(2 * double{wanted})) << i;
      if (type != CL_FLOAT) continue;
      const double blend = colors[i] * 0.75 + colors[next] * 0.25;
      EXPECT_EQ(compare_within<Half>(results[at + 8], blend, 1), "") << i;
    }
  }
}

}  // namespace
}  // namespace conclave::test
