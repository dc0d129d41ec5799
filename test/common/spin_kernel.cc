// SPDX-License-Identifier: Apache-2.0
#include "spin_kernel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace conclave::test {
namespace {

// No compiler finds a shorter way through the steps. Work-groups 8 apart have the same result,
// which keeps checking cheap.
constexpr char kSource[] = R"(
__kernel void spin(__global uint* results, __global volatile uint* progress, uint steps,
                   uint seed) {
  uint x = seed + get_global_id(0) % 8;
  for (uint i = 0; i < steps; ++i) x = (x ^ x >> 15) * 747796405u + 2891336453u;
  results[get_global_id(0)] = x;
  atomic_inc(progress);
}
__kernel void empty() {}
)";
constexpr uint32_t kResults = 8;

cl::Platform first_platform() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  return platforms.front();
}

}  // namespace

uint32_t spin_result(uint32_t seed, uint32_t steps) {
  uint32_t x = seed;
  for (uint32_t i = 0; i < steps; ++i) x = (x ^ x >> 15) * 747796405u + 2891336453u;
  return x;
}

std::string platform_name() {
  return first_platform().getInfo<CL_PLATFORM_NAME>();
}

SpinKernel::SpinKernel(uint32_t most_groups, std::atomic<uint32_t>& progress,
                       const std::vector<cl_queue_properties>& properties) {
  std::vector<cl::Device> devices;
  first_platform().getDevices(CL_DEVICE_TYPE_ALL, &devices);
  device_ = devices.front();
  context_ = cl::Context(device_);
  cl_int error = CL_SUCCESS;
  queue_ = clCreateCommandQueueWithProperties(
      context_(), device_(), properties.empty() ? nullptr : properties.data(), &error);
  if (error != CL_SUCCESS) throw cl::Error(error, "clCreateCommandQueueWithProperties");
  cl::Program program(context_, kSource);
  program.build({device_});
  spin_ = cl::Kernel(program, "spin");
  empty_ = cl::Kernel(program, "empty");
  results_ = cl::Buffer(context_, CL_MEM_READ_WRITE, most_groups * sizeof(cl_uint));
  progress_ =
      cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof progress, &progress);
  spin_.setArg(0, results_);
  spin_.setArg(1, progress_);

  const Launch first = {most_groups, 1, 1};
  run(first);
  check(first);
  if (progress != most_groups)
    throw std::runtime_error(
        "this implementation does not compute in the host's memory: " + std::to_string(progress) +
        " work-groups seen, not " + std::to_string(most_groups));
  progress = 0;
}

cl::Event SpinKernel::enqueue(const Launch& launch) {
  spin_.setArg(2, launch.steps);
  spin_.setArg(3, launch.seed);
  cl::Event event;
  queue_.enqueueNDRangeKernel(spin_, cl::NullRange, cl::NDRange(launch.groups), cl::NDRange(1),
                              nullptr, &event);
  queue_.flush();
  return event;
}

void SpinKernel::run(const Launch& launch) {
  spin_.setArg(2, launch.steps);
  spin_.setArg(3, launch.seed);
  queue_.enqueueNDRangeKernel(spin_, cl::NullRange, cl::NDRange(launch.groups), cl::NDRange(1));
  queue_.finish();
}

void SpinKernel::run_empty() {
  queue_.enqueueNDRangeKernel(empty_, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
  queue_.finish();
}

void SpinKernel::check(const Launch& launch) {
  std::vector<uint32_t> results(launch.groups);
  queue_.enqueueReadBuffer(results_, CL_TRUE, 0, launch.groups * sizeof(cl_uint), results.data());
  const uint32_t different = std::min(launch.groups, kResults);
  std::array<uint32_t, kResults> right = {};
  for (uint32_t i = 0; i < different; ++i) right[i] = spin_result(launch.seed + i, launch.steps);
  for (uint32_t i = 0; i < launch.groups; ++i)
    if (results[i] != right[i % kResults])
      throw std::runtime_error(
          "work-group " + std::to_string(i) + " of " + std::to_string(launch.groups) + " found " +
          std::to_string(results[i]) + ", not " + std::to_string(right[i % kResults]));
}

double SpinKernel::step_seconds() {
  // The best of many runs, each shorter than a time slice: whatever disturbs only adds.
  constexpr Launch kLaunch = {1, 2'000'000, 3};
  double best = 1e9;
  for (int i = 0; i < 40; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run(kLaunch);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  check(kLaunch);
  return best / kLaunch.steps;
}

}  // namespace conclave::test
