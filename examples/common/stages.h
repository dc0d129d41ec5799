// SPDX-License-Identifier: Apache-2.0
// The work of the out-of-order examples: 2,048 tasks of five stages each, of which 32 are under way
// at a time: the host produces numbers, they are brought to the device, the device adds one to
// each, they are brought back, and the host checks them.
#ifndef CONCLAVE_EXAMPLES_COMMON_STAGES_H_
#define CONCLAVE_EXAMPLES_COMMON_STAGES_H_

#include <CL/opencl.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "common/example.h"
#include "common/matrices.h"

namespace examples::stages {

inline constexpr size_t kTasks = 2048;
inline constexpr size_t kInFlight = 32;
inline constexpr size_t kElements = 8 << 10;
inline constexpr size_t kBytes = kElements * sizeof(cl_int);

inline constexpr char kSource[] = R"(
  __kernel void compute(__global int* numbers, int count) {
    for (int i = 0; i < count; ++i) numbers[i] += 1;
  })";

inline std::atomic<size_t> wrong_tasks{0};

// The host's two stages of a task, on `numbers`.
struct Work {
  cl_int* numbers;
  cl_int task;

  void produce() const { std::fill_n(numbers, kElements, task); }
  void consume() const {
    const auto is_right = [&](cl_int number) { return number == task + 1; };
    const cl_int* wrong = std::find_if_not(numbers, numbers + kElements, is_right);
    if (wrong == numbers + kElements) return;
    std::printf("Iteration %d: %d != %d\n", task, *wrong, task + 1);
    ++wrong_tasks;
  }
};
// The stages as native kernels, which get a copy of a Work.
inline void CL_CALLBACK produce(void* work) {
  static_cast<Work*>(work)->produce();
}
inline void CL_CALLBACK consume(void* work) {
  static_cast<Work*>(work)->consume();
}

// What the tasks run on. `memory` and `buffers` are for one task after the other.
struct Setup {
  Accelerator accelerator;
  cl::CommandQueue in_order{accelerator.context, accelerator.device};
  cl::CommandQueue out_of_order{accelerator.context, accelerator.device,
                                cl::QueueProperties::OutOfOrder};
  cl::Kernel compute{accelerator.build(kSource), "compute"};
  std::vector<std::vector<cl_int>> memory{kInFlight, std::vector<cl_int>(kElements)};
  std::vector<cl::Buffer> buffers;

  Setup() {
    for (size_t i = 0; i < kInFlight; ++i)
      buffers.emplace_back(accelerator.context, CL_MEM_READ_WRITE, kBytes);
    compute.setArg(1, static_cast<cl_int>(kElements));
  }

  // Enqueues the device's stage, as a task: one work-item.
  void enqueue_compute(const cl::Buffer& buffer, const std::vector<cl::Event>* after,
                       cl::Event* done) {
    compute.setArg(0, buffer);
    out_of_order.enqueueNDRangeKernel(compute, cl::NullRange, cl::NDRange(1), cl::NDRange(1), after,
                                      done);
  }
};

// Runs `work`, prints how long it took and whether all tasks went right.
template <class Function>
size_t run_timed(Function work) {
  std::printf("Elapsed : %8.4f secs\n", seconds_of(work));
  return report(wrong_tasks, "PASS!");
}

}  // namespace examples::stages

#endif  // CONCLAVE_EXAMPLES_COMMON_STAGES_H_
