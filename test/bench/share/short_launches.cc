// SPDX-License-Identifier: Apache-2.0
// A process that launches a short kernel every ms, beside others that compute as much as they get:
// how long its launches take, and what that costs the others.
#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "crew.h"
#include "figures.h"
#include "roles.h"

namespace bench {
namespace {

using namespace conclave::test;

std::vector<double> sorted_numbers(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream words(line);
  for (double number; words >> number;) numbers.push_back(number);
  if (numbers.empty()) throw std::runtime_error("no launch was measured");
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The smallest number that at least `share` of all do not exceed.
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

// What the hogs did not get done for each CPU second that the short kernels' process used.
// samples[i] and samples[i + 1] enclose phase i.
struct Loss {
  Loss(const std::vector<Crew::Sample>& hogs, const std::vector<double>& short_cpu) {
    double seconds[2] = {}, groups[2] = {}, cpu_without = 0, cpu_of_short = 0;
    for (unsigned phase = 0; phase + 1 < hogs.size(); ++phase) {
      const bool with = short_runs_in(phase);
      seconds[with] += hogs[phase + 1].seconds - hogs[phase].seconds;
      groups[with] += work(hogs[phase], hogs[phase + 1]);
      if (with)
        cpu_of_short += short_cpu[phase + 1] - short_cpu[phase];
      else
        cpu_without += hogs[phase + 1].cpu_seconds - hogs[phase].cpu_seconds;
    }
    const double lost_groups = groups[0] / seconds[0] * seconds[1] - groups[1];
    factor = lost_groups * (cpu_without / groups[0]) / cpu_of_short;
    share = lost_groups / (groups[0] / seconds[0] * seconds[1]);
    short_share = cpu_of_short / seconds[1];
  }
  double factor;       // lost CPU seconds for one of the short process
  double share;        // of the hogs' rate
  double short_share;  // CPUs that the short process used
};

// `hog_groups`: into how many work-groups the hogs' kernels are divided.
std::vector<Row> measure(const Setting& setting, const std::string& name, const std::string& role,
                         unsigned hogs, unsigned hog_groups) {
  const int64_t phase = setting.quick ? 100'000'000 : 750'000'000;
  const unsigned phases = setting.quick ? 4 : 8;
  // Kernels of 200 ms on an idle machine, and of about 5 us a work-group.
  const double hog_seconds = setting.quick ? 0.02 : 0.2;
  std::unique_ptr<Crew> crew;
  if (hogs > 0)
    crew = std::make_unique<Crew>(
        hogs, "stream",
        std::vector<std::string>{
            std::to_string(hog_groups),
            std::to_string(setting.steps(hog_seconds * setting.cpus / hog_groups)), "1"},
        setting);
  WorkerProcess brief(
      role, {std::to_string(setting.steps(5e-6)), std::to_string(phase), std::to_string(phases)},
      setting.environment);
  brief.receive();
  if (crew) crew->go();
  const int64_t begin = now_ns() + (setting.quick ? 100'000'000 : 500'000'000);
  brief.send(std::to_string(begin));
  std::vector<Crew::Sample> hog_samples;
  std::vector<double> short_cpu;
  for (unsigned i = 0; i <= phases; ++i) {
    sleep_until(begin + i * phase);
    if (crew) hog_samples.push_back(crew->sample());
    short_cpu.push_back(brief.cpu_seconds());
  }
  const std::vector<double> ns = sorted_numbers(brief.receive());
  brief.send("end");
  if (const int status = brief.wait(); status != 0)
    throw std::runtime_error("the short kernels' process ended with status " +
                             std::to_string(status));
  if (crew) crew->stop();

  std::vector<Row> rows = {{name + "_median", "us", quantile(ns, 0.5) * 1e-3},
                           {name + "_p99", "us", quantile(ns, 0.99) * 1e-3},
                           {name + "_max", "us", ns.back() * 1e-3}};
  if (crew) {
    const Loss loss(hog_samples, short_cpu);
    rows.push_back({name + "_loss", "lost CPU s/used CPU s", loss.factor});
    rows.push_back({name + "_hogs_slower", "lost %", 100 * loss.share});
    rows.push_back({name + "_cpu", "lost % of a CPU", 100 * loss.short_share});
  }
  return rows;
}

Figure beside(const std::string& role, unsigned hogs, const std::string& meaning) {
  const std::string name = role + "_beside_" + std::to_string(hogs);
  return {name, meaning, false, [=](const Setting& setting) -> std::vector<Row> {
            if (hogs > 4 * setting.cpus) return {};
            return measure(setting, name, role, hogs, 1024);
          }};
}

// Each compute unit has work-groups of 12.5 ms, and a packet of them lasts longer: nobody lets go of
// a compute unit before.
Figure beside_long_groups(unsigned hogs) {
  const std::string name = "short_beside_long_" + std::to_string(hogs);
  return {name, "the same beside so many processes with work-groups of 12.5 ms", false,
          [=](const Setting& setting) {
            return measure(setting, name, "short", hogs, 16 * setting.cpus);
          }};
}

}  // namespace

std::vector<Figure> short_launch_figures() {
  std::vector<Figure> figures;
  for (const unsigned hogs : {0u, 1u, 2u, 4u, 8u, 16u, 64u})
    figures.push_back(
        beside("short", hogs,
               "a 4-work-group kernel every ms beside so many processes with 200 ms kernels"));
  for (const unsigned hogs : {2u, 8u, 16u}) figures.push_back(beside_long_groups(hogs));
  for (const unsigned hogs : {0u, 2u})
    figures.push_back(beside("flushed", hogs, "the same with clFlush() before the wait"));
  for (const unsigned hogs : {1u, 2u, 4u, 8u, 16u, 64u})
    figures.push_back(beside(
        "plain", hogs, "the same work done by a thread without OpenCL: the system's own part"));
  return figures;
}

}  // namespace bench
