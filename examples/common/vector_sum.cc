// SPDX-License-Identifier: Apache-2.0
#include "common/vector_sum.h"

#include <cstdio>

namespace examples {

VectorSum::VectorSum() : a(kElements), b(kElements), sum(kElements) {
  for (size_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<cl_short>(i % 20011);
    b[i] = static_cast<cl_short>(i % 12007);
  }
}

void VectorSum::run(const Accelerator& accelerator, cl::Kernel kernel) {
  const size_t bytes = kElements * sizeof(cl_short);
  const cl::Context& context = accelerator.context;
  const cl::CommandQueue& queue = accelerator.queue;
  const cl::Buffer buffer_a(context, CL_MEM_READ_ONLY, bytes);
  const cl::Buffer buffer_b(context, CL_MEM_READ_ONLY, bytes);
  const cl::Buffer buffer_sum(context, CL_MEM_WRITE_ONLY, bytes);
  kernel.setArg(0, buffer_a);
  kernel.setArg(1, buffer_b);
  kernel.setArg(2, buffer_sum);

  cl::Event write_a, write_b, add, read;
  queue.enqueueWriteBuffer(buffer_a, CL_FALSE, 0, bytes, a.data(), nullptr, &write_a);
  queue.enqueueWriteBuffer(buffer_b, CL_FALSE, 0, bytes, b.data(), nullptr, &write_b);
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(kElements / kElementsPerItem),
                             cl::NDRange(1024), nullptr, &add);
  queue.enqueueReadBuffer(buffer_sum, CL_TRUE, 0, bytes, sum.data(), nullptr, &read);
  print_times(write_a, "Write BufA ");
  print_times(write_b, "Write BufB ");
  print_times(add, "Kernel Exec");
  print_times(read, "Read BufDst");
}

size_t VectorSum::count_errors() const {
  size_t errors = 0;
  for (size_t i = 0; i < kElements; ++i)
    if (sum[i] != static_cast<cl_short>(a[i] + b[i]) && errors++ < 12)
      std::printf("Failed at Element %zu: %d != %d + %d\n", i, sum[i], a[i], b[i]);
  return errors;
}

size_t add_vectors(const std::function<cl::Program(const Accelerator&)>& make_program) {
  const Accelerator accelerator;
  std::printf("DEVICE: %s\n\n", accelerator.device.getInfo<CL_DEVICE_NAME>().c_str());
  std::printf("Offloading vector addition of %zuK elements...\n\n", VectorSum::kElements / 1024);
  VectorSum vectors;
  const cl::Program program = make_program(accelerator);
  vectors.run(accelerator, cl::Kernel(program, "VectorAdd"));
  return report(vectors.count_errors(), "Success!");
}

}  // namespace examples
