// SPDX-License-Identifier: Apache-2.0
// One mathematical function over a large array, each beside a loop that calls SLEEF directly.
#include <cmath>

#include "kernel_case.h"
#include "limits/parallel.h"
#include "limits/sleef_loops.h"

namespace bench {
namespace {

struct Function {
  const char* name;
  int arguments;
  double low, high;  // of the first argument; the second is between -3 and 3
  double (*exact)(double, double);
};

constexpr Function kFunctions[] = {
    {"sin", 1, -30, 30, [](double x, double) { return std::sin(x); }},
    {"cos", 1, -30, 30, [](double x, double) { return std::cos(x); }},
    {"tan", 1, -30, 30, [](double x, double) { return std::tan(x); }},
    {"exp", 1, -20, 20, [](double x, double) { return std::exp(x); }},
    {"log", 1, 1e-3, 1e3, [](double x, double) { return std::log(x); }},
    {"erf", 1, -3, 3, [](double x, double) { return std::erf(x); }},
    {"cbrt", 1, -1e3, 1e3, [](double x, double) { return std::cbrt(x); }},
    {"pow", 2, 1e-2, 1e2, [](double x, double y) { return std::pow(x, y); }},
    {"atan2", 2, -10, 10, [](double x, double y) { return std::atan2(x, y); }},
};
// Exist for float only.
constexpr Function kNativeFunctions[] = {
    {"native_sin", 1, -3, 3, [](double x, double) { return std::sin(x); }},
    {"native_cos", 1, -3, 3, [](double x, double) { return std::cos(x); }},
    {"native_tan", 1, -1.5, 1.5, [](double x, double) { return std::tan(x); }},
    {"native_exp", 1, -20, 20, [](double x, double) { return std::exp(x); }},
    {"native_log", 1, 1e-3, 1e3, [](double x, double) { return std::log(x); }},
    {"native_sqrt", 1, 0, 1e3, [](double x, double) { return std::sqrt(x); }},
    {"native_powr", 2, 1e-2, 1e2, [](double x, double y) { return std::pow(x, y); }},
};

template <class T>
constexpr const char* kTypeName = "float";
template <>
constexpr const char* kTypeName<double> = "double";

template <class T>
Array<T> random_numbers(size_t count, double low, double high, unsigned seed) {
  std::mt19937 generator(seed);
  Values<T> values(count);
  for (T& value : values)
    value = static_cast<T>(low + (high - low) * static_cast<double>(generator()) / 4294967296.0);
  return Array<T>(std::move(values));
}

template <class T>
std::string source_of(const Function& function) {
  const std::string type = kTypeName<T>;
  return "kernel void apply(global const " + type + "* x, global const " + type + "* y, global " +
         type + "* out) {\n  size_t i = get_global_id(0);\n  out[i] = " + function.name +
         (function.arguments == 2 ? "(x[i], y[i]);\n}\n" : "(x[i]);\n}\n");
}

template <class T>
Problem apply(const Function& function, double tolerance) {
  const size_t count = sized(1 << 20, 4 << 10);
  const Array<T> x = random_numbers<T>(count, function.low, function.high, 1);
  const Array<T> y = random_numbers<T>(count, -3, 3, 2);
  const Array<T> out(count);
  const limits::Loop<T> loop = limits::sleef_loop<T>(function.name);
  return {
      kernel(source_of<T>(function).c_str(), "apply", x, y, out),
      cl::NDRange(count),
      cl::NDRange(64),
      static_cast<double>(count),
      [=] { out.fetch(); },
      [=] { compare(out, {tolerance, 101}, [=](size_t i) { return function.exact(x[i], y[i]); }); },
      [=] {
        limits::parallel(count, 16 << 10, [=](size_t begin, size_t end) {
          loop(x.data() + begin, y.data() + begin, out.data() + begin, end - begin);
        });
      }};
}

template <class T>
KernelCase make_case(const Function& function, double tolerance) {
  return {std::string(function.name) + "_" + kTypeName<T>, "M values/s",
          [=] { return apply<T>(function, tolerance); }};
}

}  // namespace

KernelClass math_functions() {
  KernelClass result{"math functions", {}};
  for (const Function& function : kFunctions) {
    result.kernels.push_back(make_case<float>(function, 1e-5));
    result.kernels.push_back(make_case<double>(function, 1e-13));
  }
  for (const Function& function : kNativeFunctions)
    result.kernels.push_back(make_case<float>(function, 1e-3));
  return result;
}

}  // namespace bench
