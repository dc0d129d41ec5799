// SPDX-License-Identifier: Apache-2.0
// Two processes that use the device in turn: the cost if the compute unit has been the other
// one's. With --users they are two users, and the daemon passes the unit on.
#include <algorithm>
#include <stdexcept>

#include "figures.h"
#include "test/common/worker_process.h"

namespace bench {
namespace {

using namespace conclave::test;

// Seconds from the order to a process to the end of its tiny kernel, of which all but the passing
// on of the unit is the same where one process has all turns.
double turn(WorkerProcess& worker) {
  const int64_t begin = now_ns();
  worker.send("go");
  worker.receive();  // it is queued
  return static_cast<double>(std::stoll(worker.receive()) - begin) * 1e-9;
}

double median(std::vector<double>& seconds) {
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

std::vector<Row> measure(const Setting& setting) {
  std::vector<std::string> environment = setting.environment;
  environment.push_back("CONCLAVE_COMPUTE_UNITS=1");
  WorkerProcess first("wait_turn", {}, environment), second("wait_turn", {}, environment);
  first.receive();
  second.receive();
  std::vector<double> in_turn, alone;
  const int rounds = setting.quick ? 10 : 1000;
  // Alternating blocks, so that a drift of the machine cancels out.
  for (int round = 0; round < rounds; ++round) {
    turn(first);
    in_turn.push_back(turn(second));
    alone.push_back(turn(second));
    sleep_until(now_ns() + 1'000'000);
  }
  for (WorkerProcess* worker : {&first, &second}) {
    worker->send("end");
    if (const int status = worker->wait(); status != 0)
      throw std::runtime_error("a process ended with status " + std::to_string(status));
  }
  const double p99 = (median(in_turn), in_turn[in_turn.size() * 99 / 100]);
  return {{"in_turn_median", "us", median(in_turn) * 1e6},
          {"in_turn_p99", "us", p99 * 1e6},
          {"in_turn_hand_over", "us", (median(in_turn) - median(alone)) * 1e6}};
}

}  // namespace

Figure alternation_figure() {
  return {"in_turn", "two processes that run a tiny kernel in turn; what the change costs", true,
          measure};
}

}  // namespace bench
