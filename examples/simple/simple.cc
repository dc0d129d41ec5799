// SPDX-License-Identifier: Apache-2.0
// One kernel that sets eight million characters, in the largest work-groups.
#include <CL/opencl.hpp>
#include <algorithm>
#include <vector>

#include "common/example.h"
#include "simple.cl.h"

namespace {

constexpr size_t kSize = 8 << 20;
constexpr size_t kWorkGroup = 16 << 10;

size_t run() {
  examples::Accelerator accelerator;
  std::vector<char> text(kSize);
  const cl::Buffer buffer(accelerator.context, CL_MEM_WRITE_ONLY, kSize);
  cl::KernelFunctor<cl::Buffer> devset(accelerator.build(kSimpleSource), "devset");
  const auto largest = accelerator.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  const cl::NDRange group(std::min(kWorkGroup, largest));
  devset(cl::EnqueueArgs(accelerator.queue, cl::NDRange(kSize), group), buffer).wait();
  accelerator.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, kSize, text.data());
  return examples::report(kSize - std::count(text.begin(), text.end(), 'x'), "Done!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "simple", "Sets 8 Mi characters.", run);
}
