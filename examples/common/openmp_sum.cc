// SPDX-License-Identifier: Apache-2.0
#include "common/openmp_sum.h"

#include <CL/opencl.hpp>
#include <cstdio>
#include <vector>

#include "common/example.h"

namespace examples {

size_t add_vectors_with_openmp(const void* binary, size_t size) {
  constexpr size_t kElements = 4 << 20, kBytes = kElements * sizeof(cl_float);
  const Accelerator accelerator;
  std::printf("DEVICE: %s\n\n", accelerator.device.getInfo<CL_DEVICE_NAME>().c_str());
  std::vector<cl_float> a(kElements), b(kElements), sum(kElements);
  for (size_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<float>(i % 20011);
    b[i] = static_cast<float>(i % 12007) / 2;
  }
  const cl::Context& context = accelerator.context;
  const cl::Buffer buffer_a(context, CL_MEM_READ_ONLY, kBytes);
  const cl::Buffer buffer_b(context, CL_MEM_READ_ONLY, kBytes);
  const cl::Buffer buffer_sum(context, CL_MEM_WRITE_ONLY, kBytes);
  cl::Kernel kernel(accelerator.build(binary, size), "vadd_wrapper");
  kernel.setArg(0, buffer_a);
  kernel.setArg(1, buffer_b);
  kernel.setArg(2, buffer_sum);
  kernel.setArg(3, static_cast<cl_int>(kElements));

  const cl::CommandQueue& queue = accelerator.queue;
  cl::Event write_a, write_b, add, read;
  queue.enqueueWriteBuffer(buffer_a, CL_FALSE, 0, kBytes, a.data(), nullptr, &write_a);
  queue.enqueueWriteBuffer(buffer_b, CL_FALSE, 0, kBytes, b.data(), nullptr, &write_b);
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1), nullptr, &add);
  queue.enqueueReadBuffer(buffer_sum, CL_TRUE, 0, kBytes, sum.data(), nullptr, &read);
  print_times(write_a, "Write BufA ");
  print_times(write_b, "Write BufB ");
  print_times(add, "Kernel Exec");
  print_times(read, "Read BufDst");

  size_t errors = 0;
  for (size_t i = 0; i < kElements; ++i)
    if (sum[i] != a[i] + b[i] && errors++ < 12)
      std::printf("Error %zu: %f <==> %f\n", i, a[i] + b[i], sum[i]);
  return report(errors, "PASS!");
}

}  // namespace examples
