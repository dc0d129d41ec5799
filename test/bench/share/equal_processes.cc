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

// Groups of 100 us, in kernels of 13 ms where groups run one by one on an idle machine, whatever
// its size.
constexpr double kGroupSeconds = 100e-6;

Outcome compute(const Setting& setting, const std::string& role, unsigned processes) {
  const int64_t warm_up = setting.quick ? 100'000'000 : 500'000'000;
  const int64_t window = setting.quick ? 300'000'000 : 3'000'000'000;
  const unsigned steps = setting.steps(kGroupSeconds);
  const std::string text = std::to_string(steps), cpus = std::to_string(setting.cpus);
  const std::vector<std::string> arguments =
      role == "threads" ? std::vector<std::string>{text, cpus}
                        : std::vector<std::string>{std::to_string(128 * setting.cpus), text, "2"};
  Crew crew(processes, role, arguments, setting);
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
  return {{"equal_1_rate", "steps/s", compute(setting, "stream", 1).steps_per_second}};
}

std::vector<Row> together(const Setting& setting, const std::string& name, const std::string& role,
                          unsigned processes) {
  // One alone before and after, so that a drift of the machine cancels out.
  const double before = compute(setting, role, 1).steps_per_second;
  const Outcome all = compute(setting, role, processes);
  const double after = setting.quick ? before : compute(setting, role, 1).steps_per_second;
  return {{name + "_total", "of one alone", all.steps_per_second / ((before + after) / 2)},
          {name + "_fairness", "Jain", all.fairness}};
}

}  // namespace

std::vector<Figure> equal_process_figures() {
  std::vector<Figure> figures = {
      {"equal_1", "steps of the spin kernel a second, one process alone", false, alone}};
  const auto add = [&](const std::string& prefix, const std::string& role, unsigned processes,
                       const std::string& meaning) {
    const std::string name = prefix + std::to_string(processes);
    figures.push_back({name, meaning, false, [=](const Setting& setting) -> std::vector<Row> {
                         if (processes > 8 * setting.cpus) return {};
                         return together(setting, name, role, processes);
                       }});
  };
  for (const unsigned processes : {2u, 4u, 8u, 16u, 32u, 64u, 128u})
    add("equal_", "stream", processes, "total rate and Jain fairness of so many equal processes");
  for (const unsigned processes : {2u, 16u, 64u, 128u})
    add("plain_", "threads", processes,
        "the same of processes that compute in threads, without OpenCL: the system's own part");
  return figures;
}

}  // namespace bench
