// SPDX-License-Identifier: Apache-2.0
// How long a compute unit stays unused when its holder is killed and somebody waits for it.
#include <algorithm>
#include <csignal>
#include <stdexcept>

#include "figures.h"
#include "test/common/worker_process.h"

namespace bench {
namespace {

using namespace conclave::test;

// One compute unit, which its holder keeps to the end of its kernel: nothing but its death can let
// the next one in.
std::vector<std::string> one_unit(const Setting& setting) {
  std::vector<std::string> environment = setting.environment;
  environment.insert(environment.end(), {"CONCLAVE_COMPUTE_UNITS=1", "CONCLAVE_SCHEDULER=fcfs"});
  // A separate segment: the process that makes it sets the policy.
  for (std::string& entry : environment)
    if (entry.starts_with("CONCLAVE_SEGMENT=")) entry += ".fcfs";
  return environment;
}

// Seconds from the death sentence to the end of a tiny kernel of the process that waited.
double hand_over(const Setting& setting, const std::vector<std::string>& environment,
                 WorkerProcess& waiter, int round) {
  // 100 s of work-groups of 1 ms.
  WorkerProcess holder("stream", {"100000", std::to_string(setting.steps(1e-3)), "1"}, environment);
  holder.receive();
  holder.send("go");
  for (int i = 0; holder.page().progress == 0; ++i) {
    if (i == 20'000) throw std::runtime_error("the holder's kernel has not begun for 20 s");
    sleep_until(now_ns() + 1'000'000);
  }
  const uint32_t before = waiter.page().progress;
  waiter.send("go");
  waiter.receive();  // it is queued
  // At another moment of the work-group in every round.
  sleep_until(now_ns() + 3'000'000 + round * 7919 % 1000 * 1000);
  if (waiter.page().progress != before)
    throw std::runtime_error("a kernel ran on a compute unit that another process held");
  const int64_t killed = now_ns();
  holder.signal(SIGKILL);
  return static_cast<double>(std::stoll(waiter.receive()) - killed) * 1e-9;
}

std::vector<Row> measure(const Setting& setting) {
  const std::vector<std::string> environment = one_unit(setting);
  WorkerProcess waiter("wait_turn", {}, environment);
  waiter.receive();
  std::vector<double> seconds;
  const int rounds = setting.quick ? 3 : setting.kills;
  for (int round = 0; round < rounds; ++round)
    seconds.push_back(hand_over(setting, environment, waiter, round));
  waiter.send("end");
  if (const int status = waiter.wait(); status != 0)
    throw std::runtime_error("the waiting process ended with status " + std::to_string(status));
  std::sort(seconds.begin(), seconds.end());
  return {{"kill_to_next_median", "us", seconds[seconds.size() / 2] * 1e6},
          {"kill_to_next_max", "us", seconds.back() * 1e6}};
}

}  // namespace

Figure kill_figure() {
  return {"kill",
          "from SIGKILL of a compute unit's holder to the end of the next one's tiny kernel", true,
          measure};
}

}  // namespace bench
