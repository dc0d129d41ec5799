// SPDX-License-Identifier: Apache-2.0
// Tasks of five stages in an out-of-order queue: events say which task waits for which. The host's
// stages are native kernels.
#include "common/stages.h"

namespace {

using namespace examples::stages;
using Events = std::vector<cl::Event>;

void run_tasks(Setup& setup) {
  std::vector<Events> consumed(kInFlight);  // the last stage of the memory's user before
  for (size_t i = 0; i < kTasks; ++i) {
    const size_t slot = i % kInFlight;
    const cl::Buffer& buffer = setup.buffers[slot];
    cl_int* memory = setup.memory[slot].data();
    Work work{memory, static_cast<cl_int>(i)};
    const std::pair<void*, cl::size_type> argument(&work, sizeof work);
    Events produced(1), written(1), computed(1), read(1), done(1);
    cl::CommandQueue& queue = setup.out_of_order;
    queue.enqueueNativeKernel(produce, argument, nullptr, nullptr,
                              i < kInFlight ? nullptr : &consumed[slot], &produced[0]);
    queue.enqueueWriteBuffer(buffer, CL_FALSE, 0, kBytes, memory, &produced, &written[0]);
    setup.enqueue_compute(buffer, &written, &computed[0]);
    queue.enqueueReadBuffer(buffer, CL_FALSE, 0, kBytes, memory, &computed, &read[0]);
    setup.in_order.enqueueNativeKernel(consume, argument, nullptr, nullptr, &read, &done[0]);
    queue.flush();
    setup.in_order.flush();
    consumed[slot] = done;
  }
  setup.in_order.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(
      argc, argv, "ooo", "Runs tasks of five stages, out of order, with native kernels.", [] {
        Setup setup;
        return run_timed([&] { run_tasks(setup); });
      });
}
