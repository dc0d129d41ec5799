// SPDX-License-Identifier: Apache-2.0
// Processes that all compute as much as they get: how much they do together, and how evenly.
#include "crew.h"
#include "figures.h"

namespace bench {
namespace {

using namespace conclave::test;

struct Outcome {
  double steps_per_second, fairness;
};

Outcome compute(const Setting& setting, unsigned processes) {
  const int64_t warm_up = setting.quick ? 100'000'000 : 500'000'000;
  const int64_t window = setting.quick ? 300'000'000 : 3'000'000'000;
  // Kernels of 13 ms where groups run one by one on an idle machine, whatever its size.
  const unsigned steps = setting.steps(100e-6);
  Crew crew(processes, "stream", {std::to_string(128 * setting.cpus), std::to_string(steps), "2"},
            setting);
  crew.go();
  const int64_t begin = now_ns() + warm_up;
  sleep_until(begin);
  const Crew::Sample first = crew.sample();
  sleep_until(begin + window);
  const Crew::Sample last = crew.sample();
  crew.stop();
  return {work(first, last) * steps / (last.seconds - first.seconds), fairness(first, last)};
}

std::vector<Row> alone(const Setting& setting) {
  // Not in work-groups: an implementation that runs one group faster is given longer ones.
  return {{"equal_1_rate", "steps/s", compute(setting, 1).steps_per_second}};
}

std::vector<Row> together(const Setting& setting, unsigned processes) {
  // One alone before and after, so that a drift of the machine cancels out.
  const double before = compute(setting, 1).steps_per_second;
  const Outcome all = compute(setting, processes);
  const double after = setting.quick ? before : compute(setting, 1).steps_per_second;
  const std::string name = "equal_" + std::to_string(processes);
  return {{name + "_total", "of one alone", all.steps_per_second / ((before + after) / 2)},
          {name + "_fairness", "Jain", all.fairness}};
}

}  // namespace

std::vector<Figure> equal_process_figures() {
  std::vector<Figure> figures = {
      {"equal_1", "steps of the spin kernel a second, one process alone", false, alone}};
  for (const unsigned processes : {2u, 4u, 8u, 16u, 32u})
    figures.push_back({"equal_" + std::to_string(processes),
                       "total rate and Jain fairness of so many equal processes", false,
                       [=](const Setting& setting) -> std::vector<Row> {
                         if (processes > 16 && setting.cpus < 8) return {};
                         return together(setting, processes);
                       }});
  return figures;
}

}  // namespace bench
