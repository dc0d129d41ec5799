// SPDX-License-Identifier: Apache-2.0
#include "launch_times.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace bench {

void LaunchTimes::add_launch(std::string kernel, cl_event event) {
  const std::lock_guard lock(mutex_);
  running_.push_back({std::move(kernel), event});
  count_ended();
}

void LaunchTimes::add_build(double seconds) {
  const std::lock_guard lock(mutex_);
  build_seconds_ += seconds;
}

bool LaunchTimes::has_ended(cl_event event) const {
  cl_int status = CL_QUEUED;
  return implementation_.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                        &status, nullptr) != CL_SUCCESS ||
         status <= CL_COMPLETE;
}

uint64_t LaunchTimes::nanoseconds(cl_event event) const {
  cl_ulong start = 0;
  cl_ulong end = 0;
  const auto ask = implementation_.clGetEventProfilingInfo;
  if (ask(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) != CL_SUCCESS ||
      ask(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS || end < start)
    return 0;
  return end - start;
}

void LaunchTimes::count_ended() {
  while (!running_.empty() && has_ended(running_.front().event)) {
    const Launch launch = std::move(running_.front());
    running_.pop_front();
    Sum& sum = sums_[launch.kernel];
    ++sum.launches;
    sum.nanoseconds += nanoseconds(launch.event);
    implementation_.clReleaseEvent(launch.event);
  }
}

void LaunchTimes::write(const std::string& path) {
  const std::lock_guard lock(mutex_);
  count_ended();
  nlohmann::json kernels = nlohmann::json::object();
  for (const auto& [name, sum] : sums_)
    kernels[name] = {{"launches", sum.launches},
                     {"ms", static_cast<double>(sum.nanoseconds) * 1e-6}};
  const nlohmann::json all = {{"build ms", build_seconds_ * 1e3}, {"kernels", kernels}};
  std::ofstream(path) << all << "\n";
}

}  // namespace bench
