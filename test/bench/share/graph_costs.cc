// SPDX-License-Identifier: Apache-2.0
// What graphs and streams cost: a graph's parameters and iterations, and what goes through a stream
// from one process to another.
#include <algorithm>
#include <stdexcept>

#include "figures.h"
#include "test/common/worker_process.h"

namespace bench {
namespace {

using conclave::test::WorkerProcess;

constexpr double kPacketBytes = 4096;

std::vector<Row> graph_rows(const Setting& setting) {
  WorkerProcess worker("graph", {setting.quick ? "100" : "20000"}, setting.environment);
  worker.receive();
  worker.send("go");
  std::vector<Row> rows;
  for (const char* name : {"graph_update", "graph_read", "graph_iteration", "graph_run_and_wait"})
    rows.push_back({name, "us", std::stod(worker.receive()) / 1e3});
  worker.send("end");
  worker.wait();
  return rows;
}

// The best of some tries, in GB/s: on a busy machine the two ends do not run at the same time.
Row stream_row(const Setting& setting) {
  const std::string packets = setting.quick ? "1000" : "200000";
  WorkerProcess source("stream_source", {packets}, setting.environment);
  WorkerProcess sink("stream_sink", {packets}, setting.environment);
  source.receive();
  sink.receive();
  double best = 0;
  for (int i = 0; i < (setting.quick ? 1 : 7); ++i) {
    sink.send("go");
    source.send("go");
    const std::string ns = sink.receive();
    if (ns == "wrong") throw std::runtime_error("what came through the stream is wrong");
    best = std::max(best, std::stod(packets) * kPacketBytes / std::stod(ns));
  }
  for (WorkerProcess* worker : {&source, &sink}) {
    worker->send("end");
    worker->wait();
  }
  return {"stream_between_processes", "GB/s", best};
}

std::vector<Row> measure(const Setting& setting) {
  std::vector<Row> rows = graph_rows(setting);
  rows.push_back(stream_row(setting));
  return rows;
}

}  // namespace

Figure graph_figure() {
  return {"graph", "parameters and iterations of a graph, and a stream between two processes", true,
          measure};
}

}  // namespace bench
