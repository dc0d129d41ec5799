// SPDX-License-Identifier: Apache-2.0
#include "graph_hostile_roles.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <vector>

#include "graph_roles.h"
#include "graph_vandal.h"
#include "platform/share/meeting_place.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"

namespace conclave::test {
namespace {

using namespace std::chrono_literals;

// The time for something that takes a millisecond when nothing disturbs it. Then the waiter gives
// up.
constexpr auto kPatience = 1s;

class User {
 public:
  explicit User(uint32_t seed)
      : random_(seed), device_(0), uuid_(device_.load_xclbin(graph_xclbin_file())) {}

  // Does one thing, to its end or to an error. False if a kernel goes on for which nothing can be
  // done: the process has to end.
  bool act() {
    try {
      switch (below(5)) {
        case 0:
          count();
          return true;
        case 1:
          use_synchronous_parameters();
          return true;
        case 2:
          drive("pair");
          return true;
        case 3:
          drive("through");
          return true;
        default:
          return use_stream();
      }
    } catch (const xrt::system_error& error) {
      if (error.get_code() <= 0) throw std::runtime_error("an error without a number");
      return true;
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  // Nothing that lies in shared memory is needed for the iterations to be done.
  void count() {
    xrt::graph counter(device_, uuid_, below(2) ? "gr[0]" : "gr[1]");
    counter.reset();
    counter.run(100);
    counter.wait();
  }

  // Without any limit of time: one process has both ends.
  void use_synchronous_parameters() {
    xrt::graph sync(device_, uuid_, "sync");
    sync.reset();
    sync.run(5);
    for (int i = 0; i < 5; ++i) {
      int out = 0;
      sync.update("sync.k.in", i);
      sync.read("sync.k.out", out);
    }
    sync.wait();
  }

  void drive(const std::string& name) {
    xrt::graph graph(device_, uuid_, name);
    graph.reset();
    graph.run(below(2) ? 20 : 0);
    if (below(2)) graph.wait(std::chrono::milliseconds(kPatience));
    graph.end(1000);
  }

  bool use_stream() {
    xrt::run sink(xrt::kernel(device_, uuid_, "sink:{sink_2}"));
    xrt::run source(xrt::kernel(device_, uuid_, "source:{source_2}"));
    xrt::bo to(device_, kItems * sizeof(int), 0);
    sink.set_arg(1, to);
    source.set_arg(1, 0);
    for (xrt::run* run : {&sink, &source}) {
      run->set_arg(2, int{kItems});
      run->start();
    }
    const bool both = sink.wait(kPatience) != ERT_CMD_STATE_TIMEOUT &&
                      source.wait(kPatience) != ERT_CMD_STATE_TIMEOUT;
    return both;
  }

  static constexpr int kItems = 50'000;

  std::mt19937 random_;
  xrt::device device_;
  xrt::uuid uuid_;
};

void graph_user(const Arguments& arguments) {
  const auto seed = static_cast<uint32_t>(std::stoul(arguments.at(0)));
  SharedPage& page = shared_page();
  const std::vector<uint32_t> canary(1 << 18, seed);
  User user(seed);
  bool goes_on = true;
  while (goes_on && page.stop == 0) {
    goes_on = user.act();
    page.progress.fetch_add(1);
    if (!std::all_of(canary.begin(), canary.end(), [&](uint32_t word) { return word == seed; }))
      throw std::runtime_error("somebody has changed this process's memory");
  }
}

void graph_vandal(const Arguments& arguments) {
  const auto xclbin = graph_xclbin();
  const auto segment = share::MeetingPlace(arguments.at(1)).find();
  if (!segment) throw std::runtime_error("nobody has made the segment");
  GraphVandal vandal(
      static_cast<uint32_t>(std::stoul(arguments.at(0))),
      {static_cast<uint32_t>(getpid()), static_cast<uint32_t>(getppid()), 0, 4'000'000, UINT32_MAX},
      segment->layout(), *xclbin);
  for (SharedPage& page = shared_page(); page.stop == 0; page.progress.fetch_add(1)) {
    vandal.attack();
    usleep(2'000);
  }
}

}  // namespace

const std::map<std::string, Role>& graph_hostile_roles() {
  static const std::map<std::string, Role> roles = {{"graph-user", graph_user},
                                                    {"graph-vandal", graph_vandal}};
  return roles;
}

std::shared_ptr<const Xclbin> graph_xclbin() {
  std::ifstream file(graph_xclbin_file(), std::ios::binary);
  return Xclbin::parse({std::istreambuf_iterator<char>(file), {}});
}

}  // namespace conclave::test
