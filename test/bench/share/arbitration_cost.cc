// SPDX-License-Identifier: Apache-2.0
// What arbitration adds to a launch when nobody else wants the device.
#include <algorithm>

#include "figures.h"
#include "test/common/worker_process.h"

namespace bench {
namespace {

using conclave::test::WorkerProcess;

// Median ns of an empty launch in a fresh process.
double launch_ns(const Setting& setting, const std::string& scheduler) {
  std::vector<std::string> environment = setting.environment;
  environment.push_back("CONCLAVE_SCHEDULER=" + scheduler);
  WorkerProcess worker("latency", {setting.quick ? "1000" : "50000"}, environment);
  worker.receive();
  worker.send("go");
  const double ns = std::stod(worker.receive());
  worker.wait();
  return ns;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<Row> measure(const Setting& setting) {
  std::vector<double> with, without, cost;
  for (int i = 0; i < (setting.quick ? 1 : 9); ++i) {
    without.push_back(launch_ns(setting, "off"));
    with.push_back(launch_ns(setting, "interleave"));
    cost.push_back(with.back() - without.back());
  }
  return {{"launch_with_arbitration", "ns", median(with)},
          {"launch_without_arbitration", "ns", median(without)},
          {"arbitration_cost", "ns", median(cost)}};
}

}  // namespace

Figure arbitration_figure() {
  return {"arbitration", "an empty launch and its end, with and without arbitration", true,
          measure};
}

}  // namespace bench
