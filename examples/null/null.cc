// SPDX-License-Identifier: Apache-2.0
// How long a task takes that does nothing: the way to the device and back.
#include <CL/opencl.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "common/example.h"
#include "common/matrices.h"

namespace {

size_t run() {
  const examples::Accelerator accelerator;
  const cl::CommandQueue queue(accelerator.context, accelerator.device);  // without profiling
  const cl::Kernel null(accelerator.build("__kernel void null(void) {}"), "null");
  const auto microseconds = [&] {
    return 1e6 * examples::seconds_of([&] {
             queue.enqueueNDRangeKernel(null, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
             queue.finish();
           });
  };
  // A program's code is loaded when the first of its kernels is enqueued.
  std::printf("Elapsed (with Load): %.1f usecs\n", microseconds());
  std::vector<double> times(1000);
  std::generate(times.begin(), times.end(), microseconds);
  for (size_t i = 0; i < 5; ++i) std::printf("Elapsed (w/o  Load): %.1f usecs\n", times[i]);
  std::sort(times.begin(), times.end());
  std::printf("Median of %zu     : %.1f usecs\n", times.size(), times[times.size() / 2]);
  std::printf("Done!\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "null", "Times an empty task.", run);
}
