// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_BENCH_STRANGERS_LAUNCH_TIMES_H_
#define CONCLAVE_TEST_BENCH_STRANGERS_LAUNCH_TIMES_H_

#include <CL/cl_icd.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace bench {

// How long the device worked on each kernel of this process, from the profiling times of its
// events, and how long the process waited for builds. Threads may share it.
class LaunchTimes {
 public:
  // `implementation` answers the questions about events.
  explicit LaunchTimes(const cl_icd_dispatch& implementation) : implementation_(implementation) {}

  // A launch was enqueued. Takes over one reference to its event.
  void add_launch(std::string kernel, cl_event event);
  void add_build(double seconds);

  // Writes {"build ms": ..., "wait ms": ..., "kernels": {name: {"launches": n, "ms": sum}}} to the file.
  // The wait is the time in which a launch had been enqueued and had not ended. Launches that have not
  // ended are left out.
  void write(const std::string& path);

 private:
  struct Launch {
    std::string kernel;
    cl_event event;
  };
  struct Sum {
    uint64_t launches = 0;
    uint64_t nanoseconds = 0;
  };

  // Counts the launches that have ended, from the oldest on, up to the first that has not.
  void count_ended();
  bool has_ended(cl_event event) const;
  void count_times(cl_event event, Sum& sum);

  const cl_icd_dispatch& implementation_;
  std::mutex mutex_;
  std::deque<Launch> running_;
  std::map<std::string, Sum> sums_;
  double build_seconds_ = 0;
  uint64_t wait_nanoseconds_ = 0;
  uint64_t waited_until_ = 0;  // the latest end, by the implementation's clock
};

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_STRANGERS_LAUNCH_TIMES_H_
