// SPDX-License-Identifier: Apache-2.0
// What a small command costs.
#include <memory>
#include <string>

#include "groups.h"
#include "session.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kSource[] = R"(
__kernel void empty() {}
__kernel void count(__global uint* counter) { *counter += 1; }
__kernel void mark(__global uint* marks, uint value) { marks[get_global_id(0)] = value; }
)";

constexpr cl_uint kStream = 20000;  // launches before one clFinish
constexpr size_t kGroups = 64, kGroupSize = 64;

cl::Kernel kernel(const char* name) {
  static const cl::Program program = [] {
    cl::Program built(session().context, kSource);
    built.build({session().device});
    return built;
  }();
  return {program, name};
}

// An empty kernel; whether it has run is asked of its event once, before the clock runs.
std::function<double()> empty_launch() {
  cl::Kernel empty = kernel("empty");
  const cl::CommandQueue& queue = session().queue;
  cl::Event event;
  queue.enqueueNDRangeKernel(empty, cl::NullRange, cl::NDRange(1), cl::NDRange(1), nullptr, &event);
  queue.finish();
  if (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
    wrong("a launch is not complete after clFinish");
  return [empty, &queue] {
    const auto start = Clock::now();
    queue.enqueueNDRangeKernel(empty, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
    queue.finish();
    return seconds_since(start);
  };
}

// Seconds for each of kStream launches. Each launch counts, so none may be lost or overlap.
std::function<double()> counting_stream() {
  auto counter = std::make_shared<cl::Buffer>(session().context, CL_MEM_READ_WRITE, 4);
  cl::Kernel count = kernel("count");
  count.setArg(0, *counter);
  return [counter, count] {
    const cl::CommandQueue& queue = session().queue;
    const cl_uint zero = 0;
    queue.enqueueWriteBuffer(*counter, CL_TRUE, 0, sizeof zero, &zero);
    const auto start = Clock::now();
    for (cl_uint i = 0; i < kStream; ++i)
      queue.enqueueNDRangeKernel(count, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
    queue.finish();
    const double seconds = seconds_since(start);
    cl_uint counted = 0;
    queue.enqueueReadBuffer(*counter, CL_TRUE, 0, sizeof counted, &counted);
    if (counted != kStream)
      wrong("the counter shows " + std::to_string(counted) + " of 20000 launches");
    return seconds / kStream;
  };
}

std::function<double()> empty_stream() {
  return [empty = kernel("empty")] {
    const cl::CommandQueue& queue = session().queue;
    const auto start = Clock::now();
    for (cl_uint i = 0; i < kStream; ++i)
      queue.enqueueNDRangeKernel(empty, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
    queue.finish();
    return seconds_since(start) / kStream;
  };
}

std::function<double()> small_read() {
  constexpr size_t kValues = 1024;
  std::vector<cl_uint> values(kValues);
  for (size_t i = 0; i < kValues; ++i) values[i] = static_cast<cl_uint>(i * 2654435761u);
  auto buffer =
      std::make_shared<cl::Buffer>(session().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   kValues * sizeof(cl_uint), values.data());
  return [buffer, values, index = size_t{0}]() mutable {
    index = (index + 7) % kValues;
    cl_uint value = 0;
    const auto start = Clock::now();
    session().queue.enqueueReadBuffer(*buffer, CL_TRUE, index * sizeof value, sizeof value, &value);
    const double seconds = seconds_since(start);
    if (value != values[index]) wrong("read " + std::to_string(value) + " at another place");
    return seconds;
  };
}

std::function<double()> small_groups() {
  constexpr size_t kItems = kGroups * kGroupSize;
  auto marks =
      std::make_shared<cl::Buffer>(session().context, CL_MEM_READ_WRITE, kItems * sizeof(cl_uint));
  return [marks, mark = kernel("mark"), value = cl_uint{0}]() mutable {
    const cl::CommandQueue& queue = session().queue;
    mark.setArg(0, *marks);
    mark.setArg(1, ++value);
    const auto start = Clock::now();
    queue.enqueueNDRangeKernel(mark, cl::NullRange, cl::NDRange(kItems), cl::NDRange(kGroupSize));
    queue.finish();
    const double seconds = seconds_since(start);
    std::vector<cl_uint> seen(kItems);
    queue.enqueueReadBuffer(*marks, CL_TRUE, 0, kItems * sizeof(cl_uint), seen.data());
    for (const cl_uint one : seen)
      if (one != value) wrong("a work-item has not run");
    return seconds;
  };
}

}  // namespace

void add_launch_benchmarks() {
  add({"launch_empty_and_finish", "us", 5000, empty_launch, microseconds});
  add({"launch_stream_empty", "us", 15, empty_stream, microseconds});
  add({"launch_stream_counting", "us", 15, counting_stream, microseconds});
  add({"launch_64_groups_and_finish", "us", 2000, small_groups, microseconds});
  add({"read_4_bytes", "us", 5000, small_read, microseconds});
}

}  // namespace bench
