// SPDX-License-Identifier: Apache-2.0
// What opening and closing a context on a compute unit of an xclbin takes, alone and beside
// other processes that have contexts.
#include <memory>

#include "figures.h"
#include "test/common/worker_process.h"

namespace bench {
namespace {

using conclave::test::WorkerProcess;

double context_us(const Setting& setting, int others) {
  std::vector<std::string> environment = setting.environment;
  environment.push_back("CONCLAVE_COMPUTE_UNITS=2");
  std::vector<std::unique_ptr<WorkerProcess>> workers;
  for (int i = 0; i <= others; ++i) {
    const bool measured = i == others;
    const std::string count = !measured ? "0" : setting.quick ? "100" : "20000";
    workers.push_back(std::make_unique<WorkerProcess>("xclbin", std::vector{count}, environment));
    workers.back()->receive();
    workers.back()->send("go");
    if (!measured) workers.back()->receive();
  }
  const double ns = std::stod(workers.back()->receive());
  for (const auto& worker : workers) worker->send("end");
  for (const auto& worker : workers) worker->wait();
  return ns / 1e3;
}

std::vector<Row> measure(const Setting& setting) {
  return {{"context_open_close", "us", context_us(setting, 0)},
          {"context_open_close_beside_31", "us", context_us(setting, setting.quick ? 3 : 31)}};
}

}  // namespace

Figure xclbin_figure() {
  return {"image", "opening and closing a context on a compute unit of an xclbin", true, measure};
}

}  // namespace bench
