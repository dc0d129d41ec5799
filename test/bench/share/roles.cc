// SPDX-License-Identifier: Apache-2.0
#include "roles.h"

#include "graph_roles.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "test/common/spin_kernel.h"
#include "xrt/xrt.h"

namespace bench {
namespace {

using namespace conclave::test;

uint32_t number(const Arguments& arguments, size_t i) {
  return static_cast<uint32_t>(std::stoul(arguments.at(i)));
}

void get_ready() {
  tell("ready");
  listen();
}

void examine_machine(const Arguments&) {
  SpinKernel kernel(1, shared_page().progress);
  const double step = kernel.step_seconds();
  tell(platform_name());
  std::ostringstream seconds;
  seconds.precision(17);
  seconds << step;
  tell(seconds.str());
}

void stream(const Arguments& arguments) {
  const SpinKernel::Launch launch = {number(arguments, 0), number(arguments, 1), 7};
  const size_t depth = number(arguments, 2);
  SharedPage& page = shared_page();
  SpinKernel kernel(launch.groups, page.progress);
  get_ready();
  std::deque<cl::Event> running;
  uint32_t launches = 0;
  while (page.stop == 0 || !running.empty()) {
    while (page.stop == 0 && running.size() < depth) {
      running.push_back(kernel.enqueue(launch));
      ++launches;
    }
    if (running.empty()) break;
    running.front().wait();
    running.pop_front();
  }
  if (launches > 0) kernel.check(launch);
  if (page.progress != launches * launch.groups)
    throw std::runtime_error(std::to_string(page.progress) + " work-groups ran in " +
                             std::to_string(launches) + " kernels of " +
                             std::to_string(launch.groups));
}

void compute_in_threads(const Arguments& arguments) {
  const uint32_t steps = number(arguments, 0);
  SharedPage& page = shared_page();
  get_ready();
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < number(arguments, 1); ++i)
    threads.emplace_back([&page, steps, seed = i]() mutable {
      for (; page.stop == 0; ++page.progress) seed = spin_result(seed, steps);
    });
  for (std::thread& thread : threads) thread.join();
}

// Calls `work` each ms in the phases with short kernels, from the time that the line tells.
void each_period(const Arguments& arguments, const std::function<void()>& work) {
  constexpr int64_t kPeriod = 1'000'000;
  const int64_t phase_ns = number(arguments, 1);
  const uint32_t phases = number(arguments, 2);
  tell("ready");
  const int64_t begin = std::stoll(listen());
  std::ostringstream times;
  for (uint32_t phase = 0; phase < phases; ++phase) {
    if (!short_runs_in(phase)) continue;
    const int64_t end = begin + (phase + 1) * phase_ns;
    int64_t next = begin + phase * phase_ns;
    while (next < end) {
      sleep_until(next);
      const int64_t start = now_ns();
      work();
      times << now_ns() - start << ' ';
      // A launch that takes longer than the period skips the starts that it misses.
      next += std::max<int64_t>(1, (now_ns() - next + kPeriod - 1) / kPeriod) * kPeriod;
    }
  }
  tell(times.str());
  listen();
}

void launch_each_period(const Arguments& arguments,
                        void (*run)(SpinKernel&, const SpinKernel::Launch&)) {
  SpinKernel::Launch launch = {kShortGroups, number(arguments, 0), 1};
  SpinKernel kernel(launch.groups, shared_page().progress);
  for (int i = 0; i < 100; ++i) kernel.run(launch);
  each_period(arguments, [&] {
    ++launch.seed;
    run(kernel, launch);
  });
  kernel.check(launch);
}

void short_launches(const Arguments& arguments) {
  launch_each_period(
      arguments, [](SpinKernel& kernel, const SpinKernel::Launch& launch) { kernel.run(launch); });
}

void flushed_launches(const Arguments& arguments) {
  launch_each_period(arguments, [](SpinKernel& kernel, const SpinKernel::Launch& launch) {
    kernel.enqueue(launch).wait();
  });
}

void plain_computation(const Arguments& arguments) {
  const uint32_t steps = kShortGroups * number(arguments, 0);
  uint32_t seed = 0;
  each_period(arguments, [&] { shared_page().progress += spin_result(++seed, steps); });
}

void latency(const Arguments& arguments) {
  SpinKernel kernel(1, shared_page().progress);
  std::vector<int64_t> samples(number(arguments, 0));
  for (size_t i = 0; i < 2000; ++i) kernel.run_empty();
  get_ready();
  for (int64_t& sample : samples) {
    const int64_t start = now_ns();
    kernel.run_empty();
    sample = now_ns() - start;
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  tell(std::to_string(*middle));
}

void wait_turn(const Arguments&) {
  SpinKernel kernel(1, shared_page().progress);
  SpinKernel::Launch launch = {1, 100, 0};
  tell("ready");
  while (listen() != "end") {
    ++launch.seed;
    const cl::Event event = kernel.enqueue(launch);
    tell("queued");
    event.wait();
    tell(std::to_string(now_ns()));
    kernel.check(launch);
  }
}

void xclbin_contexts(const Arguments& arguments) {
  std::ifstream file(XCLBIN_FILE, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* xclbin = reinterpret_cast<const axlf*>(bytes.data());
  xclDeviceHandle device = xclOpen(0, nullptr, XCL_QUIET);
  const unsigned char* uuid = xclbin->m_header.uuid;
  if (bytes.empty() || xclLoadXclBin(device, xclbin) || xclOpenContext(device, uuid, 0, true))
    throw std::runtime_error(std::string("no xclbin: ") + xclConclaveErrorText());
  get_ready();
  std::vector<int64_t> times;
  for (uint32_t i = 0; i < number(arguments, 0); ++i) {
    const int64_t start = now_ns();
    if (xclOpenContext(device, uuid, 1, true) || xclCloseContext(device, uuid, 1))
      throw std::runtime_error(xclConclaveErrorText());
    times.push_back(now_ns() - start);
  }
  std::sort(times.begin(), times.end());
  tell(times.empty() ? "0" : std::to_string(times[times.size() / 2]));
  listen();
  xclClose(device);
}

void idle(const Arguments&) {
  SpinKernel kernel(64, shared_page().progress);
  for (uint32_t i = 0; i < 20; ++i) kernel.run({64, 1000, i});
  get_ready();
}

}  // namespace

const std::map<std::string, Role>& roles() {
  static const std::map<std::string, Role> all = {
      {"examine", examine_machine},     {"stream", stream},
      {"short", short_launches},        {"flushed", flushed_launches},
      {"plain", plain_computation},     {"latency", latency},
      {"wait_turn", wait_turn},         {"idle", idle},
      {"xclbin", xclbin_contexts},      {"graph", graph_calls},
      {"stream_source", stream_source}, {"stream_sink", stream_sink},
      {"threads", compute_in_threads}};
  return all;
}

}  // namespace bench
