// SPDX-License-Identifier: Apache-2.0
#include "single_run.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>

#include "common/device_choice.h"
#include "eight_kernels.cl.h"
#include "fresh_process.h"
#include "session.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kCount = 1024, kGroup = 64;

float input(size_t i) {
  return static_cast<float>(i % 97) / 97;
}

float collatz_steps(size_t i) {
  float steps = 0;
  for (size_t value = i + 1; value != 1; ++steps)
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
  return steps;
}

float group_sum(size_t i) {
  float sum = 0;
  for (size_t j = i / kGroup * kGroup; j < (i / kGroup + 1) * kGroup; ++j) sum += input(j);
  return sum;
}

// The kernels of eight_kernels.cl, and what they compute.
struct Expectation {
  const char* kernel;
  float (*value)(size_t i);
};
constexpr Expectation kExpectations[] = {
    {"scale", [](size_t i) { return 2 * input(i) + 1; }},
    {"wave", [](size_t) { return 1.0f; }},
    {"growth", input},
    {"iterate", [](size_t i) { return std::sqrt(input(i)); }},
    {"collatz", collatz_steps},
    {"group_sum", group_sum},
    {"rotate4", [](size_t i) { return input(i / 4 * 4 + (i + 1) % 4); }},
    {"histogram", [](size_t) { return static_cast<float>(kGroup); }},
};

// 20 Newton steps towards the root of 0 end at 2^-20.
constexpr float kTolerance = 1e-5f;

std::vector<cl::Kernel> build(const Session& session) {
  cl::Program program(session.context, kEightKernelsSource);
  program.build({session.device}, ("-DGROUP=" + std::to_string(kGroup)).c_str());
  std::vector<cl::Kernel> kernels;
  for (const Expectation& expectation : kExpectations)
    kernels.emplace_back(program, expectation.kernel);
  return kernels;
}

// Runs the kernels once each.
class Runner {
 public:
  explicit Runner(Session& session) : session_(session) {
    std::vector<float> values(kCount);
    for (size_t i = 0; i < kCount; ++i) values[i] = input(i);
    const size_t bytes = kCount * sizeof(float);
    in_ =
        cl::Buffer(session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, values.data());
    for (size_t k = 0; k < std::size(kExpectations); ++k)
      out_.emplace_back(session.context, CL_MEM_WRITE_ONLY, bytes);
  }

  void run(std::vector<cl::Kernel>& kernels) {
    for (size_t k = 0; k < kernels.size(); ++k) {
      kernels[k].setArg(0, in_);
      kernels[k].setArg(1, out_[k]);
      session_.queue.enqueueNDRangeKernel(kernels[k], cl::NullRange, cl::NDRange(kCount),
                                          cl::NDRange(kGroup));
    }
    session_.queue.finish();
  }

  void check() {
    std::vector<float> values(kCount);
    for (size_t k = 0; k < out_.size(); ++k) {
      session_.queue.enqueueReadBuffer(out_[k], CL_TRUE, 0, kCount * sizeof(float), values.data());
      for (size_t i = 0; i < kCount; ++i) {
        const float expected = kExpectations[k].value(i);
        if (std::abs(values[i] - expected) <= kTolerance * (1 + std::abs(expected))) continue;
        wrong(std::string(kExpectations[k].kernel) + "[" + std::to_string(i) + "] is " +
              std::to_string(values[i]) + ", not " + std::to_string(expected));
      }
    }
  }

 private:
  Session& session_;
  cl::Buffer in_;
  std::vector<cl::Buffer> out_;
};

// Nothing else, so that others who do the same at the same time wait for nothing else.
void print_build_alone() {
  const Session session;
  wait_for_begin();
  const auto start = Clock::now();
  const auto kernels = build(session);
  std::printf("%.9f\n", seconds_since(start));
}

void print_build() {
  Session session;
  Runner runner(session);
  const auto start = Clock::now();
  auto kernels = build(session);
  const double built = seconds_since(start);
  runner.run(kernels);
  const double run = seconds_since(start);
  runner.check();
  const auto again = Clock::now();
  kernels = build(session);
  const double rebuilt = seconds_since(again);
  runner.run(kernels);
  runner.check();
  std::printf("%.9f %.9f %.9f\n", built, run, rebuilt);
}

// The offline way: the program's binary is at hand.
void print_load() {
  Session session;
  Runner runner(session);
  cl::Program built(session.context, kEightKernelsSource);
  built.build({session.device}, ("-DGROUP=" + std::to_string(kGroup)).c_str());
  const cl::Program::Binaries binaries = built.getInfo<CL_PROGRAM_BINARIES>();
  const auto start = Clock::now();
  cl::Program program(session.context, {session.device}, binaries);
  program.build();
  std::vector<cl::Kernel> kernels;
  for (const Expectation& expectation : kExpectations)
    kernels.emplace_back(program, expectation.kernel);
  const double loaded = seconds_since(start);
  runner.run(kernels);
  runner.check();
  std::printf("%.9f\n", loaded);
}

double resident_bytes() {
  double total_pages = 0, resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

bool llvm_is_mapped() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libLLVM") != std::string::npos || line.find("libclang") != std::string::npos)
      return true;
  return false;
}

void print_footprint() {
  const double before = resident_bytes();
  Session session;
  Runner runner(session);
  auto kernels = build(session);
  runner.run(kernels);
  runner.check();
  const double buffers = (1.0 + std::size(kExpectations)) * kCount * sizeof(float);
  std::printf("%.0f %d\n", resident_bytes() - before - buffers, llvm_is_mapped());
}

void print_startup() {
  const auto start = Clock::now();
  const Session session;
  std::printf("%.9f\n", seconds_since(start));
}

}  // namespace

int single_run(const std::string& mode) {
  try {
    if (mode == "startup")
      print_startup();
    else if (mode == "build")
      print_build();
    else if (mode == "build-alone")
      print_build_alone();
    else if (mode == "load")
      print_load();
    else if (mode == "footprint")
      print_footprint();
    else
      wrong("--once=" + mode + ": the modes are startup, build, build-alone, load, footprint");
    return 0;
  } catch (const cl::Error& error) {
    std::fprintf(stderr, "conclave_bench: %s\n", examples::describe(error).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conclave_bench: %s\n", error.what());
  }
  return 1;
}

}  // namespace bench
