// SPDX-License-Identifier: Apache-2.0
// Kernels that abort or exit, as ND-ranges and as tasks, in order and out of order. Only they end,
// with a status that says how; what comes after them runs.
#include <CL/opencl.hpp>
#include <cstdio>
#include <string>

#include "abort_exit.cl.h"
#include "common/example.h"
#include "common/kernel_ends.h"

namespace {

constexpr cl_int kEnds[] = {CL_COMPLETE, examples::kKernelAborted, examples::kKernelExited};

class Checks {
 public:
  // Two kernels: the first one ends as `how` says, the second one does not depend on it.
  void run(const std::string& name, cl::CommandQueue& queue, size_t items, int how) {
    std::printf("# %s %s error:\n", name.c_str(), how ? "w  " : "w/o");
    errors_ += examples::expect_end(name, start(queue, items, how), kEnds[how]);
    errors_ += examples::expect_end(name, start(queue, items, 0), CL_COMPLETE);
    queue.finish();
  }
  size_t errors() const { return errors_; }

  cl::CommandQueue in_order() { return {accelerator_.context, accelerator_.device}; }
  cl::CommandQueue out_of_order() {
    return {accelerator_.context, accelerator_.device, cl::QueueProperties::OutOfOrder};
  }

 private:
  cl::Event start(cl::CommandQueue& queue, size_t items, int how) {
    cl::Event event;
    kernel_.setArg(0, how);
    kernel_.setArg(1, out_);
    queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(items), cl::NullRange, nullptr,
                               &event);
    return event;
  }
  static constexpr size_t kMostItems = 4096;
  examples::Accelerator accelerator_;
  cl::Kernel kernel_{accelerator_.build(kAbortExitSource), "end"};
  cl::Buffer out_{accelerator_.context, CL_MEM_READ_WRITE, kMostItems * sizeof(cl_int)};
  size_t errors_ = 0;
};

size_t run() {
  Checks checks;
  cl::CommandQueue in_order = checks.in_order(), out_of_order = checks.out_of_order();
  for (int how : {1, 2, 0}) {
    checks.run("k_io", in_order, 4096, how);
    checks.run("k_oo", out_of_order, 4096, how);
    checks.run("t_io", in_order, 1, how);
    checks.run("t_oo", out_of_order, 1, how);
  }
  return examples::report(checks.errors(), "Done!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "abort_exit", "Runs kernels that abort or exit.",
                                      run);
}
