// SPDX-License-Identifier: Apache-2.0
// Kernels that never end, as ND-ranges and as tasks, in order and out of order: with a time limit
// they do, and what comes after them runs.
#include <CL/opencl.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "common/example.h"
#include "common/kernel_ends.h"
#include "timeout.cl.h"

namespace {

// TI's extension cl_ti_kernel_timeout_compute_unit; Khronos' headers do not have it.
constexpr cl_command_queue_properties kTimeoutQueue = 1 << 20;
using SetTimeout = cl_int(CL_API_CALL*)(cl_kernel, cl_uint);
constexpr cl_uint kLimitMs = 100;

class Checks {
 public:
  Checks() {
    const auto platform = accelerator_.device.getInfo<CL_DEVICE_PLATFORM>();
    set_timeout_ = reinterpret_cast<SetTimeout>(
        clGetExtensionFunctionAddressForPlatform(platform, "__ti_set_kernel_timeout_ms"));
    if (!set_timeout_) throw std::runtime_error("the platform has no time limits for kernels");
  }

  void run(const std::string& name, cl_command_queue_properties order, size_t items) {
    const cl::CommandQueue queue(accelerator_.context, accelerator_.device, order | kTimeoutQueue);
    std::printf("# %s w/o timeout:\n", name.c_str());
    errors_ += examples::expect_end(name, start(queue, items, 0), CL_COMPLETE);
    std::printf("# %s w   timeout:\n", name.c_str());
    errors_ += examples::expect_end(name, start(queue, items, 1), examples::kKernelTimedOut);
    errors_ += examples::expect_end(name, start(queue, items, 0), CL_COMPLETE);
  }
  size_t errors() const { return errors_; }

 private:
  cl::Event start(const cl::CommandQueue& queue, size_t items, cl_int go_on) {
    cl::Event event;
    accelerator_.queue.enqueueWriteBuffer(go_on_, CL_TRUE, 0, sizeof go_on, &go_on);
    set_timeout_(kernel_(), kLimitMs * (go_on ? 1 : 100));
    kernel_.setArg(0, go_on_);
    kernel_.setArg(1, out_);
    queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(items), cl::NullRange, nullptr,
                               &event);
    queue.flush();
    return event;
  }

  static constexpr size_t kMostItems = 4096;
  examples::Accelerator accelerator_;
  cl::Kernel kernel_{accelerator_.build(kTimeoutSource), "wait_while"};
  cl::Buffer go_on_{accelerator_.context, CL_MEM_READ_WRITE, sizeof(cl_int)};
  cl::Buffer out_{accelerator_.context, CL_MEM_READ_WRITE, kMostItems * sizeof(cl_int)};
  SetTimeout set_timeout_ = nullptr;
  size_t errors_ = 0;
};

size_t run() {
  Checks checks;
  for (const cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    const std::string suffix = order ? "_oo" : "_io";
    checks.run("k" + suffix, order, 4096);
    checks.run("t" + suffix, order, 1);
  }
  return examples::report(checks.errors(), "Done!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "timeout",
                                      "Runs kernels that never end, with a time limit.", run);
}
