// SPDX-License-Identifier: Apache-2.0
#include "launch_times.h"

#include <algorithm>
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

void LaunchTimes::count_times(cl_event event, Sum& sum) {
  const auto ask = [&](cl_profiling_info what, cl_ulong& time) {
    return implementation_.clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr) ==
           CL_SUCCESS;
  };
  cl_ulong queued = 0;
  cl_ulong start = 0;
  cl_ulong end = 0;
  if (!ask(CL_PROFILING_COMMAND_QUEUED, queued) || !ask(CL_PROFILING_COMMAND_START, start) ||
      !ask(CL_PROFILING_COMMAND_END, end) || end < start)
    return;
  sum.nanoseconds += end - start;
  // They come as they were enqueued, so that none of the wait is counted twice.
  if (const cl_ulong since = std::max<cl_ulong>(queued, waited_until_); end > since) {
    wait_nanoseconds_ += end - since;
    waited_until_ = end;
  }
}

void LaunchTimes::count_ended() {
  while (!running_.empty() && has_ended(running_.front().event)) {
    const Launch launch = std::move(running_.front());
    running_.pop_front();
    Sum& sum = sums_[launch.kernel];
    ++sum.launches;
    count_times(launch.event, sum);
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
  const nlohmann::json all = {{"build ms", build_seconds_ * 1e3},
                              {"wait ms", static_cast<double>(wait_nanoseconds_) * 1e-6},
                              {"kernels", kernels}};
  std::ofstream(path) << all << "\n";
}

}  // namespace bench
