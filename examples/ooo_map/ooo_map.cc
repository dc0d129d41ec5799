// SPDX-License-Identifier: Apache-2.0
// Tasks of five stages in an out-of-order queue, whose native kernels work on mapped buffers:
// nothing is copied.
#include "common/stages.h"

namespace {

using namespace examples::stages;
using Events = std::vector<cl::Event>;

void run_tasks(Setup& setup) {
  cl::CommandQueue& queue = setup.out_of_order;
  std::vector<Events> free(kInFlight);  // when the buffer's user before has unmapped it
  for (size_t i = 0; i < kTasks; ++i) {
    const size_t slot = i % kInFlight;
    const cl::Buffer& buffer = setup.buffers[slot];
    const auto map = [&](cl_map_flags flags, const Events* after, cl::Event* done) {
      return static_cast<cl_int*>(
          queue.enqueueMapBuffer(buffer, CL_FALSE, flags, 0, kBytes, after, done));
    };
    Events mapped(1), produced(1), unmapped(1), computed(1), back(1), consumed(1), given_back(1);

    Work work{
        map(CL_MAP_WRITE_INVALIDATE_REGION, i < kInFlight ? nullptr : &free[slot], &mapped[0]),
        static_cast<cl_int>(i)};
    queue.enqueueNativeKernel(produce, {&work, sizeof work}, nullptr, nullptr, &mapped,
                              &produced[0]);
    queue.enqueueUnmapMemObject(buffer, work.numbers, &produced, &unmapped[0]);

    setup.enqueue_compute(buffer, &unmapped, &computed[0]);

    work.numbers = map(CL_MAP_READ, &computed, &back[0]);
    setup.in_order.enqueueNativeKernel(consume, {&work, sizeof work}, nullptr, nullptr, &back,
                                       &consumed[0]);
    queue.enqueueUnmapMemObject(buffer, work.numbers, &consumed, &given_back[0]);
    queue.flush();
    setup.in_order.flush();
    free[slot] = given_back;
  }
  setup.in_order.finish();
  queue.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(
      argc, argv, "ooo_map", "Runs tasks of five stages, out of order, on mapped buffers.", [] {
        Setup setup;
        return run_timed([&] { run_tasks(setup); });
      });
}
