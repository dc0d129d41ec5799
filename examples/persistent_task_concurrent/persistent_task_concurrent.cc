// SPDX-License-Identifier: Apache-2.0
// A task that runs until the host tells it to stop, and answers requests meanwhile; beside it,
// other kernels run on the other compute units.
#include <CL/opencl.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/example.h"
#include "common/matrices.h"
#include "persistent_task_concurrent.cl.h"

namespace {

constexpr cl_int kRequests = 1000;
constexpr size_t kElements = 1 << 16;

// The host's side of the mailbox that the kernel describes.
class Mailbox {
 public:
  explicit Mailbox(const cl::Context& context)
      : buffer_(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof words_, words_) {
    at(0) = -1;
  }
  const cl::Buffer& buffer() const { return buffer_; }

  cl_int ask(cl_int number, cl_int request) {
    using namespace std::chrono;
    at(1).store(request, std::memory_order_relaxed);
    at(0).store(number, std::memory_order_release);
    const auto give_up = steady_clock::now() + seconds(20);
    while (at(2).load(std::memory_order_acquire) != number) {
      if (steady_clock::now() > give_up) throw std::runtime_error("the task does not answer");
      std::this_thread::yield();
    }
    return at(3).load(std::memory_order_relaxed);
  }
  void stop() { at(0).store(0, std::memory_order_release); }

 private:
  std::atomic_ref<cl_int> at(size_t i) { return std::atomic_ref<cl_int>(words_[i]); }

  alignas(4096) cl_int words_[1024] = {};
  cl::Buffer buffer_;
};

// Doubles numbers until the task is told to stop; returns how often that went wrong.
size_t run_others(const examples::Accelerator& accelerator, const cl::Program& program,
                  const std::atomic<bool>& ended, size_t& runs) {
  const cl::CommandQueue queue(accelerator.context, accelerator.device);
  const size_t bytes = kElements * sizeof(cl_int);
  const cl::Buffer buffer(accelerator.context, CL_MEM_READ_WRITE, bytes);
  cl::Kernel twice(program, "twice");
  twice.setArg(0, buffer);
  std::vector<cl_int> numbers(kElements);
  size_t wrong = 0;
  do {
    queue.enqueueFillBuffer(buffer, cl_int{21}, 0, bytes);
    queue.enqueueNDRangeKernel(twice, cl::NullRange, cl::NDRange(kElements));
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, numbers.data());
    for (cl_int number : numbers) wrong += number != 42;
    ++runs;
  } while (!ended);
  return wrong;
}

size_t run() {
  const examples::Accelerator accelerator;
  const cl::Program program = accelerator.build(kPersistentTaskConcurrentSource, "-cl-std=CL3.0");
  const auto mailbox = std::make_unique<Mailbox>(accelerator.context);
  cl::Kernel serve(program, "serve");
  serve.setArg(0, mailbox->buffer());
  cl::Event ended_task;
  accelerator.queue.enqueueNDRangeKernel(serve, cl::NullRange, cl::NDRange(1), cl::NDRange(1),
                                         nullptr, &ended_task);
  accelerator.queue.flush();

  // The task has a compute unit for itself; the others need another one.
  const bool has_room = accelerator.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>() > 1;
  std::atomic<bool> ended = false;
  size_t wrong_answers = 0, wrong_numbers = 0, runs = 0;
  std::jthread others([&] {
    if (has_room) wrong_numbers = run_others(accelerator, program, ended, runs);
  });
  const double seconds = examples::seconds_of([&] {
    for (cl_int i = 1; i <= kRequests; ++i) wrong_answers += mailbox->ask(i, i) != i * i;
  });
  ended = true;
  mailbox->stop();
  ended_task.wait();
  others.join();
  std::printf("%d answers in %.6f secs, beside %zu runs of another kernel\n", kRequests, seconds,
              runs);
  if (!has_room) std::printf("The device has one compute unit: nothing can run beside the task.\n");
  return examples::report(wrong_answers + wrong_numbers, "Done!");
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_simple_example(argc, argv, "persistent_task_concurrent",
                                      "Talks to a task that runs until it is told to stop.", run);
}
