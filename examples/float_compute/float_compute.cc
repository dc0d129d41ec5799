// SPDX-License-Identifier: Apache-2.0
// y[i] = m[i] * x[i] + c on the host and on the device, in place, five times each.
#include <CL/opencl.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "common/example.h"
#include "common/matrices.h"
#include "float_compute.cl.h"

namespace {

constexpr size_t kElements = 2 << 20;
constexpr int kTries = 5;
constexpr float kC = 0.5f;

void print_average(const char* name, double seconds) {
  std::printf("%-31s: %.6f secs\n", name, seconds / kTries);
}

size_t run() {
  std::printf(
      "This example computes y[i] = M[i] * x[i] + C on %zu floating-point numbers\n"
      "on the host and on an accelerator.\n\nRunning",
      kElements);
  const examples::Accelerator accelerator;
  std::vector<float> m(kElements), x(kElements), y(kElements), expected(kElements);
  for (size_t i = 0; i < kElements; ++i) {
    m[i] = static_cast<float>(i % 1000) / 8;
    x[i] = static_cast<float>(i % 777) / 4;
  }
  const size_t bytes = kElements * sizeof(float);
  const auto in_place = CL_MEM_USE_HOST_PTR;
  cl::Buffer buffer_m(accelerator.context, CL_MEM_READ_ONLY | in_place, bytes, m.data());
  cl::Buffer buffer_x(accelerator.context, CL_MEM_READ_ONLY | in_place, bytes, x.data());
  cl::Buffer buffer_y(accelerator.context, CL_MEM_WRITE_ONLY | in_place, bytes, y.data());
  cl::Kernel kernel(accelerator.build(kFloatComputeSource), "compute");
  kernel.setArg(0, buffer_m);
  kernel.setArg(1, buffer_x);
  kernel.setArg(2, kC);
  kernel.setArg(3, buffer_y);

  double host_seconds = 0, device_seconds = 0;
  size_t errors = 0;
  for (int i = 0; i < kTries; ++i) {
    host_seconds += examples::seconds_of([&] {
      for (size_t k = 0; k < kElements; ++k) expected[k] = m[k] * x[k] + kC;
    });
    void* mapped = nullptr;
    device_seconds += examples::seconds_of([&] {
      accelerator.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(kElements));
      mapped = accelerator.queue.enqueueMapBuffer(buffer_y, CL_TRUE, CL_MAP_READ, 0, bytes);
    });
    for (size_t k = 0; k < kElements; ++k)
      if (!(std::abs(y[k] - expected[k]) <= 1e-5f * expected[k]) && errors++ < 12)
        std::printf("Failed at Element %zu: %g <==> %g\n", k, y[k], expected[k]);
    accelerator.queue.enqueueUnmapMemObject(buffer_y, mapped);
    accelerator.queue.finish();
    std::printf(".");
  }
  std::printf("\n\nAverage across %d runs: \n", kTries);
  print_average("Host", host_seconds);
  print_average("Device (OpenCL NDRange kernel)", device_seconds);
  std::printf("%-31s: %.2f\n\n", "OpenCL speedup", host_seconds / device_seconds);
  return examples::report(errors, "Success!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "float_compute",
                                      "Times y = M * x + C on the host and on the device.", run);
}
