// SPDX-License-Identifier: Apache-2.0
// Tasks of five stages in an out-of-order queue. The host's stages are callbacks of events, and
// tell by user events that they are done.
#include "common/stages.h"

namespace {

using namespace examples::stages;

struct Task {
  Work work;
  cl::UserEvent produced, consumed;
};

void CL_CALLBACK produce_task(cl_event, cl_int, void* data) {
  auto* task = static_cast<Task*>(data);
  task->work.produce();
  task->produced.setStatus(CL_COMPLETE);
}

void CL_CALLBACK consume_task(cl_event, cl_int, void* data) {
  auto* task = static_cast<Task*>(data);
  task->work.consume();
  task->consumed.setStatus(CL_COMPLETE);
}

void run_tasks(Setup& setup) {
  const cl::Context& context = setup.accelerator.context;
  cl::CommandQueue& queue = setup.out_of_order;
  std::vector<Task> tasks(kTasks);
  for (size_t i = 0; i < kTasks; ++i) {
    const size_t slot = i % kInFlight;
    cl_int* memory = setup.memory[slot].data();
    Task& task = tasks[i];
    task = {{memory, static_cast<cl_int>(i)}, cl::UserEvent(context), cl::UserEvent(context)};
    if (i < kInFlight)
      produce_task(nullptr, CL_COMPLETE, &task);
    else
      tasks[i - kInFlight].consumed.setCallback(CL_COMPLETE, produce_task, &task);

    const std::vector<cl::Event> produced{task.produced};
    std::vector<cl::Event> written(1), computed(1);
    cl::Event read;
    queue.enqueueWriteBuffer(setup.buffers[slot], CL_FALSE, 0, kBytes, memory, &produced,
                             &written[0]);
    setup.enqueue_compute(setup.buffers[slot], &written, &computed[0]);
    queue.enqueueReadBuffer(setup.buffers[slot], CL_FALSE, 0, kBytes, memory, &computed, &read);
    read.setCallback(CL_COMPLETE, consume_task, &task);
    queue.flush();
  }
  for (const Task& task : tasks) task.consumed.wait();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(
      argc, argv, "ooo_callback", "Runs tasks of five stages, out of order, with callbacks.", [] {
        Setup setup;
        return run_timed([&] { run_tasks(setup); });
      });
}
