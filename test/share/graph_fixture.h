// SPDX-License-Identifier: Apache-2.0
// What the tests of graphs share: a device with an xclbin on it, and graphs of that xclbin.
#ifndef CONCLAVE_TEST_SHARE_GRAPH_FIXTURE_H_
#define CONCLAVE_TEST_SHARE_GRAPH_FIXTURE_H_

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "graph_roles.h"
#include "xrt/xrt_graph.h"

namespace conclave::test {

class GraphTest : public testing::Test {
 protected:
  GraphTest() : device_(0), uuid_(device_.load_xclbin(graph_xclbin_file())) {}

  xrt::graph graph(const std::string& name) { return {device_, uuid_, name}; }
  template <class T = int>
  static T value(xrt::graph& graph, const std::string& port) {
    T value{};
    graph.read(port, value);
    return value;
  }
  // Waits until the graph "gr[0]" or "gr[1]" has got further than `count`.
  static void await_more(xrt::graph& graph, const std::string& port, int count) {
    for (int i = 0; i < 10'000 && value(graph, port) <= count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_GT(value(graph, port), count);
  }

  xrt::device device_;
  xrt::uuid uuid_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_GRAPH_FIXTURE_H_
