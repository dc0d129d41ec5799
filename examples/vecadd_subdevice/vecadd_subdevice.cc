// SPDX-License-Identifier: Apache-2.0
// Splits the device into sub-devices of one compute unit each, and gives each of them a part of a
// vector sum.
#include <CL/opencl.hpp>
#include <cstdio>
#include <vector>

#include "common/example.h"
#include "common/vector_sum.h"
#include "vadd.cl.h"

namespace {

size_t run() {
  using examples::VectorSum;
  cl::Device device = examples::choose_accelerator();
  if (device.getInfo<CL_DEVICE_PARTITION_MAX_SUB_DEVICES>() < 2) {
    std::printf("No sub devices can be created on this platform.\n");
    return 0;
  }
  const cl_device_partition_property each_unit[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl::Device> parts;
  device.createSubDevices(each_unit, &parts);
  std::printf("DEVICE: %s, %zu sub-devices\n", device.getInfo<CL_DEVICE_NAME>().c_str(),
              parts.size());

  const cl::Context context(parts);
  cl::Program program(context, kVaddSource);
  program.build(parts);
  VectorSum vectors;
  const size_t bytes = VectorSum::kElements * sizeof(cl_short);
  const auto in_place = CL_MEM_USE_HOST_PTR;
  cl::Buffer a(context, CL_MEM_READ_ONLY | in_place, bytes, vectors.a.data());
  cl::Buffer b(context, CL_MEM_READ_ONLY | in_place, bytes, vectors.b.data());
  cl::Buffer sum(context, CL_MEM_WRITE_ONLY | in_place, bytes, vectors.sum.data());
  cl::Kernel add(program, "VectorAdd");
  add.setArg(0, a);
  add.setArg(1, b);
  add.setArg(2, sum);

  // The parts run at the same time: nobody waits before all have their work.
  const size_t items = VectorSum::kElements / VectorSum::kElementsPerItem;
  std::vector<cl::CommandQueue> queues;
  for (size_t i = 0; i < parts.size(); ++i) {
    queues.emplace_back(context, parts[i]);
    const size_t begin = items * i / parts.size(), end = items * (i + 1) / parts.size();
    queues[i].enqueueNDRangeKernel(add, cl::NDRange(begin), cl::NDRange(end - begin));
    queues[i].flush();
  }
  for (const cl::CommandQueue& queue : queues) queue.finish();
  void* mapped = queues[0].enqueueMapBuffer(sum, CL_TRUE, CL_MAP_READ, 0, bytes);
  const size_t errors = vectors.count_errors();
  queues[0].enqueueUnmapMemObject(sum, mapped);
  queues[0].finish();
  return examples::report(errors, "PASS!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "vecadd_subdevice",
                                      "Adds two vectors on sub-devices.", run);
}
