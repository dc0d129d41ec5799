// SPDX-License-Identifier: Apache-2.0
#include <ocl_util.h>

#include <array>
#include <iostream>

namespace {

// When the command was queued, submitted, started and ended, in microseconds.
std::array<long long, 4> times_of(const cl::Event& event) {
  const auto us = [](cl_ulong ns) { return static_cast<long long>(ns / 1000); };
  return {us(event.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>()),
          us(event.getProfilingInfo<CL_PROFILING_COMMAND_SUBMIT>()),
          us(event.getProfilingInfo<CL_PROFILING_COMMAND_START>()),
          us(event.getProfilingInfo<CL_PROFILING_COMMAND_END>())};
}

}  // namespace

void ocl_event_times(const cl::Event& ev, const char* name) {
  const auto [queued, submitted, started, ended] = times_of(ev);
  const char* const title = name ? name : "";
  std::cout << title << " : Queue  to Submit: " << submitted - queued << " us\n"
            << title << " : Submit to Start : " << started - submitted << " us\n"
            << title << " : Start  to End   : " << ended - started << " us\n"
            << std::endl;
}

void ocl_relative_times(const cl::Event& ev, const char* name, cl_ulong reference) {
  std::cout << (name ? name : "");
  for (const long long time : times_of(ev))
    std::cout << ' ' << time - static_cast<long long>(reference / 1000);
  std::cout << std::endl;
}
