// SPDX-License-Identifier: Apache-2.0
// Kernels that abort or exit, as ND-ranges and as tasks, in order and out of order. Only they end,
// with a status that says how; what comes after them runs.
#include <CL/opencl.hpp>
#include <cstdio>
#include <string>

#include "abort_exit.cl.h"
#include "common/example.h"

namespace {

// TI's; Khronos' headers do not have them.
constexpr cl_int kKernelAbort = -7101, kKernelExit = -7102;
constexpr cl_int kEnds[] = {CL_COMPLETE, kKernelAbort, kKernelExit};

const char* name_of(cl_int status) {
  return status == CL_COMPLETE ? "finished" : status == kKernelAbort ? "aborted" : "exited";
}

class Checks {
 public:
  // Two kernels: the first one ends as `how` says, the second one does not depend on it.
  void run(const std::string& name, cl::CommandQueue& queue, size_t items, int how) {
    std::printf("# %s %s error:\n", name.c_str(), how ? "w  " : "w/o");
    expect(name, start(queue, items, how), kEnds[how]);
    expect(name, start(queue, items, 0), CL_COMPLETE);
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
  void expect(const std::string& name, const cl::Event& event, cl_int expected) {
    try {
      event.wait();
    } catch (const cl::Error&) {
      // The event's status says more.
    }
    const auto status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    if (status == expected) {
      std::printf("%s %s\n", name.c_str(), name_of(status));
      return;
    }
    std::printf("ERROR: %s: status %d, not %d\n", name.c_str(), status, expected);
    ++errors_;
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
