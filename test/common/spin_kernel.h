// SPDX-License-Identifier: Apache-2.0
// A kernel whose work-groups compute for as long as they are told to, with a result that shows it.
#ifndef CONCLAVE_TEST_COMMON_SPIN_KERNEL_H_
#define CONCLAVE_TEST_COMMON_SPIN_KERNEL_H_

#include <CL/opencl.hpp>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace conclave::test {

class SpinKernel {
 public:
  struct Launch {
    uint32_t groups;  // work-groups, of one work-item each
    uint32_t steps;   // of computation in each
    uint32_t seed;    // on which the results depend
  };

  // Builds the kernel on the first device of the first platform, for launches of up to
  // `most_groups` work-groups on a queue with `properties` (a list that ends with 0, or empty).
  // Each work-group adds 1 to `progress` at its end, so that another process can watch it: an
  // implementation that does not compute in the host's memory is refused with std::runtime_error.
  SpinKernel(uint32_t most_groups, std::atomic<uint32_t>& progress,
             const std::vector<cl_queue_properties>& properties = {});

  cl::Event enqueue(const Launch& launch);
  // Enqueues and waits.
  void run(const Launch& launch);
  // An empty kernel, enqueued and waited for.
  void run_empty();

  // Throws std::runtime_error if the results are not those of `launch`, the last one that ended.
  void check(const Launch& launch);

  // Seconds that a step takes on an idle machine.
  double step_seconds();

  const cl::Device& device() const { return device_; }
  const cl::Context& context() const { return context_; }
  const cl::CommandQueue& queue() const { return queue_; }

 private:
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Kernel spin_, empty_;
  cl::Buffer results_, progress_;
};

// What a work-group computes that starts with `seed`.
uint32_t spin_result(uint32_t seed, uint32_t steps);

// The name of the first platform.
std::string platform_name();

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_SPIN_KERNEL_H_
