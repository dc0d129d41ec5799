// SPDX-License-Identifier: Apache-2.0
// Bandwidth, counted as STREAM does: what a kernel reads plus what it writes.
#include <memory>
#include <string>

#include "groups.h"
#include "session.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kSource[] = R"(
__kernel void copy(__global const float* restrict a, __global float* restrict c) {
  const size_t i = get_global_id(0);
  c[i] = a[i];
}
__kernel void triad(__global const float* restrict a, __global const float* restrict b,
                    __global float* restrict c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + 3.0f * b[i];
}
)";

constexpr size_t kCount = 16 << 20;  // elements of an array: 64 MiB, more than caches hold
constexpr size_t kBytes = kCount * sizeof(float);
constexpr size_t kGroupSize = 256;

float a_value(size_t i) {
  return static_cast<float>(i % 1009);
}
float b_value(size_t i) {
  return static_cast<float>(i % 853);
}

struct Arrays {
  Arrays() {
    std::vector<float> values(kCount);
    for (size_t i = 0; i < kCount; ++i) values[i] = a_value(i);
    session().queue.enqueueWriteBuffer(a, CL_TRUE, 0, kBytes, values.data());
    for (size_t i = 0; i < kCount; ++i) values[i] = b_value(i);
    session().queue.enqueueWriteBuffer(b, CL_TRUE, 0, kBytes, values.data());
    session().queue.enqueueFillBuffer(c, cl_uchar{0xff}, 0, kBytes);
    session().queue.finish();
  }

  void check(float (*expected)(size_t)) const {
    std::vector<float> values(kCount);
    session().queue.enqueueReadBuffer(c, CL_TRUE, 0, kBytes, values.data());
    for (size_t i = 0; i < kCount; ++i)
      if (values[i] != expected(i)) wrong("element " + std::to_string(i) + " is wrong");
  }

  cl::Buffer a{session().context, CL_MEM_READ_WRITE, kBytes};
  cl::Buffer b{session().context, CL_MEM_READ_WRITE, kBytes};
  cl::Buffer c{session().context, CL_MEM_READ_WRITE, kBytes};
};

std::function<double()> bandwidth(const std::function<void(Arrays&)>& work,
                                  float (*expected)(size_t)) {
  auto arrays = std::make_shared<Arrays>();
  work(*arrays);
  session().queue.finish();
  arrays->check(expected);
  return [arrays, work] {
    const auto start = Clock::now();
    work(*arrays);
    session().queue.finish();
    return seconds_since(start);
  };
}

cl::Kernel kernel(const char* name) {
  cl::Program program(session().context, kSource);
  program.build({session().device});
  return {program, name};
}

std::function<double()> copy_kernel() {
  return bandwidth(
      [copy = kernel("copy")](Arrays& arrays) mutable {
        copy.setArg(0, arrays.a);
        copy.setArg(1, arrays.c);
        session().queue.enqueueNDRangeKernel(copy, cl::NullRange, cl::NDRange(kCount),
                                             cl::NDRange(kGroupSize));
      },
      a_value);
}

std::function<double()> triad_kernel() {
  return bandwidth(
      [triad = kernel("triad")](Arrays& arrays) mutable {
        triad.setArg(0, arrays.a);
        triad.setArg(1, arrays.b);
        triad.setArg(2, arrays.c);
        session().queue.enqueueNDRangeKernel(triad, cl::NullRange, cl::NDRange(kCount),
                                             cl::NDRange(kGroupSize));
      },
      [](size_t i) { return a_value(i) + 3 * b_value(i); });
}

std::function<double()> copy_command() {
  return bandwidth(
      [](Arrays& arrays) { session().queue.enqueueCopyBuffer(arrays.a, arrays.c, 0, 0, kBytes); },
      a_value);
}

double two_arrays(double seconds) {
  return 2 * kBytes / seconds * 1e-9;
}
double three_arrays(double seconds) {
  return 3 * kBytes / seconds * 1e-9;
}

}  // namespace

void add_memory_benchmarks() {
  add({"copy_kernel", "GB/s", 15, copy_kernel, two_arrays});
  add({"triad_kernel", "GB/s", 15, triad_kernel, three_arrays});
  add({"copy_buffer", "GB/s", 15, copy_command, two_arrays});
}

}  // namespace bench
