// SPDX-License-Identifier: Apache-2.0
// Launches of a program that computes on the host too, with threads that look for their next work
// for a while before they sleep. OpenMP's threads do so. Each of them keeps a CPU busy while the
// host thread waits for a launch.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "groups.h"
#include "session.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// A thread for each CPU but the caller's.
class WaitingThreads {
 public:
  WaitingThreads() {
    const unsigned cpus = std::max(2u, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < cpus; ++i) threads_.emplace_back([this] { run(); });
  }
  ~WaitingThreads() {
    stopped_ = true;
    next_round();
    for (std::thread& thread : threads_) thread.join();
  }
  WaitingThreads(const WaitingThreads&) = delete;
  WaitingThreads& operator=(const WaitingThreads&) = delete;

  // Computes for a moment on all CPUs, and returns when all threads have done so.
  void compute() {
    unfinished_ = static_cast<int>(threads_.size());
    next_round();
    compute_here();
    while (unfinished_ > 0) std::this_thread::yield();
  }

 private:
  static constexpr std::chrono::microseconds kWork{200}, kSpin{3000};

  static void compute_here() {
    const auto end = Clock::now() + kWork;
    while (Clock::now() < end) continue;
  }

  void next_round() {
    ++round_;
    round_.notify_all();
  }

  void run() {
    for (unsigned done = 0; !stopped_; --unfinished_) {
      const auto sleeps_from = Clock::now() + kSpin;
      while (round_ == done && Clock::now() < sleeps_from) continue;
      round_.wait(done);
      done = round_;
      if (stopped_) return;
      compute_here();
    }
  }

  std::atomic<unsigned> round_{0};
  std::atomic<int> unfinished_{0};
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> threads_;
};

// Whatever positive value it starts with below 2 pi, it ends near pi.
constexpr char kSource[] = R"(
__kernel void iterate(__global float* values) {
  float x = values[get_global_id(0)];
  for (int i = 0; i < 200; ++i) x = x * 1.0001f + sin(x);
  values[get_global_id(0)] = x;
}
)";

// Seconds from a launch to the end of clFinish, in the mean of a few rounds.
std::function<double()> beside_waiting_threads() {
  constexpr size_t kItems = 16384, kGroupSize = 64;
  constexpr int kRounds = 50;
  std::vector<float> host(kItems, 1);
  auto values = std::make_shared<cl::Buffer>(session().context, CL_MEM_COPY_HOST_PTR,
                                             kItems * sizeof(float), host.data());
  cl::Program program(session().context, kSource);
  program.build({session().device});
  cl::Kernel iterate(program, "iterate");
  iterate.setArg(0, *values);
  return [host, values, iterate, threads = std::make_shared<WaitingThreads>()]() mutable {
    const cl::CommandQueue& queue = session().queue;
    double seconds = 0;
    for (int i = 0; i < kRounds; ++i) {
      threads->compute();
      const auto start = Clock::now();
      queue.enqueueNDRangeKernel(iterate, cl::NullRange, cl::NDRange(kItems),
                                 cl::NDRange(kGroupSize));
      queue.finish();
      seconds += seconds_since(start);
    }
    queue.enqueueReadBuffer(*values, CL_TRUE, 0, kItems * sizeof(float), host.data());
    for (const float value : host)
      if (std::abs(value - 3.1416f) > 0.01f) wrong("iterated to " + std::to_string(value));
    return seconds / kRounds;
  };
}

}  // namespace

void add_host_thread_benchmarks() {
  add({"launch_beside_waiting_threads", "us", 15, beside_waiting_threads, microseconds});
}

}  // namespace bench
