// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "common/device_choice.h"

namespace bench {

bool quick = false;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
bool failed = false;

Session::Session() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  platforms.front().getDevices(CL_DEVICE_TYPE_ALL, &devices);
  device = devices.front();
  context = cl::Context(device);
  queue = cl::CommandQueue(context, device);
}

Session& session() {
  static Session session;
  return session;
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

void wrong(const std::string& what) {
  throw std::runtime_error(what);
}

namespace {

void measure(benchmark::State& state, const Measurement& measurement) {
  std::vector<double> samples;
  std::string error;
  try {
    const auto sample = measurement.prepare();
    for (auto _ : state) {
      samples.push_back(sample());
      state.SetIterationTime(samples.back());
    }
  } catch (const cl::Error& failure) {
    error = examples::describe(failure);
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  if (error.empty()) {
    state.counters[measurement.unit] = measurement.report(median(samples));
  } else {
    failed = true;
    state.SkipWithError(error.c_str());
  }
}

}  // namespace

void add(const Measurement& measurement) {
  benchmark::RegisterBenchmark(
      measurement.name, [measurement](benchmark::State& state) { measure(state, measurement); })
      ->UseManualTime()
      ->Iterations(quick ? std::min(measurement.count, 3) : measurement.count)
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace bench
