// SPDX-License-Identifier: Apache-2.0
// The smallest complete program: adds two vectors on an accelerator, and tells what took how long.
#include <CL/opencl.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/device_choice.h"
#include "vecadd.cl.h"

namespace {

constexpr char kUsage[] =
    "Usage: vecadd [-h]\n"
    "Adds two vectors; the exit status is the number of wrong elements (255 for more).";
constexpr size_t kElements = 8 << 20;
constexpr size_t kElementsPerItem = 16;

void print_interval(const char* name, cl_ulong from, cl_ulong to) {
  std::printf("Kernel Exec : %-15s : %llu us\n", name,
              static_cast<unsigned long long>((to - from) / 1000));
}

size_t run(int argc, char** argv) {
  bool help = false;
  examples::for_each_option(argc, argv, "h", [&](char, const char*) { help = true; });
  if (help) {
    std::printf("%s\n", kUsage);
    return 0;
  }
  const cl::Device device = examples::choose_accelerator();
  std::printf("DEVICE: %s\n", device.getInfo<CL_DEVICE_NAME>().c_str());
  std::printf("Offloading vector addition of %zuK elements...\n", kElements / 1024);

  std::vector<cl_short> a(kElements), b(kElements), c(kElements);
  for (size_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<cl_short>(i % 20011);
    b[i] = static_cast<cl_short>(i % 12007);
  }

  const cl::Context context(device);
  cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  const size_t bytes = kElements * sizeof(cl_short);
  const cl::Buffer buffer_a(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, a.data());
  const cl::Buffer buffer_b(context, CL_MEM_READ_ONLY, bytes);
  const cl::Buffer buffer_c(context, CL_MEM_WRITE_ONLY, bytes);

  cl::Program program(context, kVecaddSource);
  program.build({device});

  // Commands of one queue run in order: the kernel finds b written.
  queue.enqueueWriteBuffer(buffer_b, CL_FALSE, 0, bytes, b.data());
  cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer> vecadd(program, "vecadd");
  const cl::Event done =
      vecadd(cl::EnqueueArgs(queue, cl::NDRange(kElements / kElementsPerItem), cl::NDRange(128)),
             buffer_a, buffer_b, buffer_c);
  queue.enqueueReadBuffer(buffer_c, CL_TRUE, 0, bytes, c.data());

  const auto queued = done.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>();
  const auto submitted = done.getProfilingInfo<CL_PROFILING_COMMAND_SUBMIT>();
  const auto started = done.getProfilingInfo<CL_PROFILING_COMMAND_START>();
  const auto ended = done.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  print_interval("Queue to Submit", queued, submitted);
  print_interval("Submit to Start", submitted, started);
  print_interval("Start to End", started, ended);

  size_t errors = 0;
  for (size_t i = 0; i < kElements; ++i) {
    const auto expected = static_cast<cl_short>(a[i] + b[i]);
    if (c[i] != expected && errors++ < 12)
      std::printf("Error [%zu]: %d <==> %d\n", i, c[i], expected);
  }
  if (errors == 0)
    std::printf("Success!\n");
  else
    std::printf("Failed with %zu errors!\n", errors);
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("vecadd", kUsage, [&] { return run(argc, argv); });
}
