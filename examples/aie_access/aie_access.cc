// SPDX-License-Identifier: Apache-2.0
// Access modes of the array and its graphs: one process drives a graph, and others may look on or
// may not. `aie_access XCLBIN 1` shows exclusive use, `2` a driver and a reader, `3` two threads.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "xrt/xrt_aie.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"

namespace {

using Offsets = std::array<int, 8>;
using Mode = xrt::graph::access_mode;
using ArrayMode = xrt::aie::access_mode;

constexpr int kItemsOfIteration = 64, kIterations = 32;
constexpr int kItems = kItemsOfIteration * kIterations;
constexpr Offsets kFirst = {1, 2, 3, 4, 5, 6, 7, 8};
constexpr Offsets kSecond = {-1, -2, -3, -4, -5, -6, -7, -8};

// A process that runs `body`, and ends with the number of its errors. It tells another one that it
// has come to some point, and waits for that one's, by a byte in a pipe.
class Process {
 public:
  explicit Process(const std::function<int(Process&)>& body) {
    if (pipe(to_child_) != 0 || pipe(to_parent_) != 0) std::abort();
    child_ = fork();
    if (child_ != 0) {
      close(to_child_[0]);
      close(to_parent_[1]);
      return;
    }
    std::swap(to_child_, to_parent_);  // as the child sees them
    close(to_child_[0]);
    close(to_parent_[1]);
    int errors = 1;
    try {
      errors = body(*this);
    } catch (const std::exception& error) {
      std::cout << "process " << getpid() << ": " << error.what() << std::endl;
    }
    std::_Exit(errors);
  }
  void tell() const {
    if (write(to_child_[1], "", 1) != 1) std::abort();
  }
  void listen() const {
    char byte;
    if (read(to_parent_[0], &byte, 1) != 1) std::_Exit(1);
  }
  int errors() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }

 private:
  pid_t child_ = 0;
  int to_child_[2], to_parent_[2];
};

// The refusal of `what`, which has to be one.
int expect_refused(const std::string& what, const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const xrt::system_error& error) {
    std::cout << what << " is refused: " << error.what() << std::endl;
    return 0;
  }
  std::cout << "ERROR: " << what << " is not refused" << std::endl;
  return 1;
}

// A ramp goes through the graph while somebody drives it; the number of wrong items, of which the
// first half was to get kFirst, the rest kSecond.
int send_ramp(const xrt::device& device, const xrt::uuid& uuid) {
  xrt::kernel collect(device, uuid, "collect:{collect_1}"), ramp(device, uuid, "ramp:{ramp_1}");
  xrt::bo memory(device, kItems * sizeof(int), collect.group_id(1));
  xrt::run collecting = collect(nullptr, memory, kItems);
  xrt::run sending = ramp(nullptr, kItems);
  sending.wait();
  collecting.wait();
  const int* items = memory.map<int*>();
  int wrong = 0;
  for (int i = 0; i < kItems; ++i) {
    const Offsets& offsets = i < kItems / 2 ? kFirst : kSecond;
    wrong += items[i] != i + offsets[static_cast<size_t>(i % 8)];
  }
  std::cout << kItems - wrong << " of " << kItems << " items are right" << std::endl;
  return wrong != 0;
}

void run_halves(xrt::graph& graph) {
  for (const Offsets& offsets : {kFirst, kSecond}) {
    graph.update("adder.k.offsets", offsets);
    graph.run(kIterations / 2);
    graph.wait();
  }
}

// Process 1 has array and graph alone. Process 2 gets neither, until process 1 has closed them.
int exclusive(const std::string& xclbin) {
  Process other([&](Process& first) {
    first.listen();
    int errors = 0;
    xrt::device device(0);
    const xrt::uuid uuid = device.load_xclbin(xclbin);
    for (const auto mode : {ArrayMode::exclusive, ArrayMode::primary, ArrayMode::shared})
      errors += expect_refused("the array", [&] { xrt::aie::device array(0, mode); });
    for (const auto mode : {Mode::exclusive, Mode::primary, Mode::shared})
      errors += expect_refused("the graph", [&] { xrt::graph graph(device, uuid, "adder", mode); });
    first.tell();
    first.listen();
    xrt::aie::device array(0, ArrayMode::exclusive);
    xrt::graph graph(array, uuid, "adder", Mode::exclusive);
    std::cout << "now they are process 2's" << std::endl;
    return errors;
  });
  {
    xrt::aie::device device(0, ArrayMode::exclusive);
    const xrt::uuid uuid = device.load_xclbin(xclbin);
    xrt::graph graph(device, uuid, "adder", Mode::exclusive);
    other.tell();
    other.listen();
  }
  other.tell();
  return other.errors();
}

// Process 1 drives the graph, process 2 reads the parameter that it used last, and may do nothing
// else; a third one has the kernels at the streams' other ends.
int primary_and_shared(const std::string& xclbin) {
  Process driver([&](Process&) {
    xrt::aie::device device(0);
    const xrt::uuid uuid = device.load_xclbin(xclbin);
    xrt::graph graph(device, uuid, "adder");
    run_halves(graph);
    return 0;
  });
  Process reader([&](Process& parent) {
    xrt::aie::device device(0, ArrayMode::shared);
    const xrt::uuid uuid = device.load_xclbin(xclbin);
    xrt::graph graph(device, uuid, "adder", Mode::shared);
    int errors = expect_refused("run() of a shared graph", [&] { graph.run(1); });
    errors += expect_refused("reset_array() of a shared array", [&] { device.reset_array(); });
    parent.listen();
    Offsets used;
    graph.read("adder.k.used", used);
    std::cout << "used last: " << used[0] << " to " << used[7] << std::endl;
    return errors + (used != kSecond);
  });
  xrt::device device(0);
  const int wrong = send_ramp(device, device.load_xclbin(xclbin));
  const int failed = driver.errors();
  reader.tell();
  return wrong + failed + reader.errors();
}

// Two threads share one graph: one runs it, the other one reads.
int threads(const std::string& xclbin) {
  xrt::aie::device device(0);
  const xrt::uuid uuid = device.load_xclbin(xclbin);
  xrt::graph graph(device, uuid, "adder");
  std::thread driver([&] { run_halves(graph); });
  const int wrong = send_ramp(device, uuid);
  driver.join();
  Offsets used;
  graph.read("adder.k.used", used);
  return wrong + (used != kSecond);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string use_case = argc == 3 ? argv[2] : "";
  if (use_case != "1" && use_case != "2" && use_case != "3") {
    std::cout << "Usage: aie_access aie_access.xclbin 1|2|3\n"
              << "  1: exclusive use   2: a primary and a shared process   3: two threads\n";
    return argc == 2 && argv[1] == std::string("-h") ? 0 : 1;
  }
  try {
    const std::string xclbin = argv[1];
    const int errors = use_case == "1"   ? exclusive(xclbin)
                       : use_case == "2" ? primary_and_shared(xclbin)
                                         : threads(xclbin);
    std::cout << (errors ? "FAILED" : "PASSED") << std::endl;
    return errors;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\nFAILED\n";
    return 1;
  }
}
