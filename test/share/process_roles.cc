// SPDX-License-Identifier: Apache-2.0
#include "process_roles.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "test/common/spin_kernel.h"

namespace conclave::test {
namespace {

uint32_t number(const Arguments& arguments, size_t i) {
  return static_cast<uint32_t>(std::stoul(arguments.at(i)));
}

void device(const Arguments&) {
  SpinKernel kernel(1, shared_page().progress);
  tell(platform_name());
  tell(std::to_string(kernel.device().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()));
  tell(kernel.device().getInfo<CL_DEVICE_EXTENSIONS>());
}

void launches(const Arguments& arguments) {
  const uint32_t count = number(arguments, 0), groups = number(arguments, 1);
  SpinKernel kernel(groups, shared_page().progress);
  for (uint32_t seed = 1; seed <= count; ++seed) {
    const SpinKernel::Launch launch = {groups, number(arguments, 2), seed};
    kernel.run(launch);
    kernel.check(launch);
  }
  if (const uint32_t ran = shared_page().progress; ran != count * groups)
    throw std::runtime_error(std::to_string(ran) + " work-groups ran, not " +
                             std::to_string(count * groups));
}

// A buffer that lives for one launch holds what was written to it.
class PassingBuffer {
 public:
  PassingBuffer(const SpinKernel& kernel, uint32_t words, uint32_t value)
      : queue_(kernel.queue()),
        words_(words),
        value_(value),
        buffer_(kernel.context(), CL_MEM_READ_WRITE, words * sizeof value) {
    queue_.enqueueFillBuffer(buffer_, value_, 0, words_ * sizeof value_);
  }
  void check() {
    std::vector<uint32_t> found(words_);
    queue_.enqueueReadBuffer(buffer_, CL_TRUE, 0, words_ * sizeof value_, found.data());
    if (!std::all_of(found.begin(), found.end(), [this](uint32_t word) { return word == value_; }))
      throw std::runtime_error("a buffer has lost what it was filled with");
  }

 private:
  const cl::CommandQueue& queue_;
  uint32_t words_, value_;
  cl::Buffer buffer_;
};

void mix(const Arguments& arguments) {
  constexpr uint32_t kMostGroups = 64;
  std::mt19937 engine(number(arguments, 0));
  const auto random = [&] { return static_cast<uint32_t>(engine()); };
  const auto up_to = [&](uint32_t most) { return 1 + random() % most; };
  SharedPage& page = shared_page();
  SpinKernel kernel(kMostGroups, page.progress);
  while (page.stop == 0) {
    PassingBuffer buffer(kernel, up_to(1 << 14), random());
    const SpinKernel::Launch launch = {up_to(kMostGroups), up_to(20'000), random()};
    kernel.run(launch);
    kernel.check(launch);
    buffer.check();
  }
}

void stream(const Arguments& arguments) {
  const SpinKernel::Launch launch = {number(arguments, 0), number(arguments, 1), 5};
  SharedPage& page = shared_page();
  SpinKernel kernel(launch.groups, page.progress, {CL_QUEUE_PRIORITY_KHR, number(arguments, 2), 0});
  tell("ready");
  listen();
  // One kernel is always waiting behind the one that runs.
  cl::Event running = kernel.enqueue(launch);
  while (page.stop == 0) {
    const cl::Event next = kernel.enqueue(launch);
    running.wait();
    running = next;
  }
  running.wait();
  kernel.check(launch);
}

}  // namespace

const std::map<std::string, Role>& process_roles() {
  static const std::map<std::string, Role> all = {
      {"device", device}, {"launches", launches}, {"mix", mix}, {"stream", stream}};
  return all;
}

}  // namespace conclave::test
