// SPDX-License-Identifier: Apache-2.0
// A kernel that calls a C function. The program is built from source and linked with an object
// file, which the build options name.
#include <CL/opencl.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "ccode.cl.h"
#include "common/example.h"

namespace {

constexpr size_t kParts = 512, kCount = 300;

size_t run() {
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const examples::Accelerator accelerator;
  const cl::Program program = accelerator.build(kCcodeSource, (folder / "ccode.o").c_str());

  std::vector<cl_float> numbers(kParts * kCount), distances(kParts);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i * 7919 % 2003) - 1000;
  std::vector<cl_float> expected = numbers;
  cl::Buffer buffer(accelerator.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    numbers.size() * sizeof(cl_float), numbers.data());
  cl::Buffer distance_buffer(accelerator.context, CL_MEM_WRITE_ONLY, kParts * sizeof(cl_float));
  cl::Kernel kernel(program, "sort_parts");
  kernel.setArg(0, buffer);
  kernel.setArg(1, static_cast<cl_int>(kCount));
  kernel.setArg(2, distance_buffer);
  const cl::CommandQueue& queue = accelerator.queue;
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(kParts));
  queue.enqueueReadBuffer(buffer, CL_TRUE, 0, numbers.size() * sizeof(cl_float), numbers.data());
  queue.enqueueReadBuffer(distance_buffer, CL_TRUE, 0, kParts * sizeof(cl_float), distances.data());

  size_t errors = 0;
  for (size_t part = 0; part < kParts; ++part) {
    const auto begin = expected.begin() + static_cast<long>(part * kCount), end = begin + kCount;
    std::sort(begin, end);
    double sum = 0;
    for (auto it = begin; it != end; ++it) sum += std::abs(*it);
    errors += !std::equal(begin, end, numbers.begin() + static_cast<long>(part * kCount));
    errors += distances[part] != static_cast<float>(sum / kCount);
  }
  return examples::report(errors, "Success!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "ccode", "Calls a C function from a kernel.",
                                      run);
}
