// SPDX-License-Identifier: Apache-2.0
#include "graph_roles.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/clock.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"

namespace bench {
namespace {

using conclave::now_ns;
using conclave::test::Arguments;
using conclave::test::listen;
using conclave::test::tell;

uint32_t number(const Arguments& arguments, size_t i) {
  return static_cast<uint32_t>(std::stoul(arguments.at(i)));
}

// Ns of one of `count` calls: the median of ten tries.
template <class Body>
uint64_t time_of(uint32_t count, Body body) {
  std::vector<uint64_t> tries;
  for (int i = 0; i < 10; ++i) {
    const uint64_t start = now_ns();
    for (uint32_t n = 0; n < count; ++n) body();
    tries.push_back((now_ns() - start) / count);
  }
  std::sort(tries.begin(), tries.end());
  return tries[tries.size() / 2];
}

// The device with the xclbin in it.
struct Loaded {
  xrt::device device{0};
  xrt::uuid uuid = device.load_xclbin(std::string(GRAPHS_FILE));
};

}  // namespace

void graph_calls(const Arguments& arguments) {
  const uint32_t count = number(arguments, 0);
  Loaded loaded;
  xrt::graph graph(loaded.device, loaded.uuid, "empty");
  std::array<int, 16> value{};
  tell("ready");
  listen();
  const uint64_t update = time_of(count, [&] { graph.update("empty.k.in", value); });
  const uint64_t read = time_of(count, [&] { graph.read("empty.k.in", value); });
  const uint64_t start = now_ns();
  graph.run(10 * count);
  graph.wait();
  const uint64_t iteration = (now_ns() - start) / (10 * count);
  const uint64_t single = time_of(count / 10 + 1, [&] {
    graph.run(1);
    graph.wait();
  });
  for (const uint64_t ns : {update, read, iteration, single}) tell(std::to_string(ns));
  listen();
}

void stream_source(const Arguments& arguments) {
  Loaded loaded;
  xrt::kernel kernel(loaded.device, loaded.uuid, "source:{source_1}");
  tell("ready");
  while (listen() == "go") {
    xrt::run run = kernel(nullptr, static_cast<int>(number(arguments, 0)));
    run.wait();
  }
}

void stream_sink(const Arguments& arguments) {
  const auto packets = static_cast<int>(number(arguments, 0));
  Loaded loaded;
  xrt::kernel kernel(loaded.device, loaded.uuid, "sink:{sink_1}");
  xrt::bo sum(loaded.device, sizeof(int), kernel.group_id(2));
  tell("ready");
  while (listen() == "go") {
    const uint64_t start = now_ns();
    xrt::run run = kernel(nullptr, packets, sum);
    run.wait();
    const uint64_t ns = now_ns() - start;
    int expected = 0;
    for (int i = 0; i < packets; ++i) expected += i % 1024;
    tell(*sum.map<int*>() == expected ? std::to_string(ns) : "wrong");
  }
}

}  // namespace bench
