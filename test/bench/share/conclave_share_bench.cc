// SPDX-License-Identifier: Apache-2.0
// Measures how processes share the device.
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "../common_options.h"
#include "figures.h"
#include "foreign_load.h"
#include "roles.h"
#include "test/common/daemon_process.h"
#include "test/common/temporary_directory.h"
#include "test/common/temporary_segment.h"
#include "test/common/worker_process.h"

namespace bench {
namespace {

struct Options {
  bool list = false, json = false, users = false;
  std::regex filter{"."};
  Setting setting;
};

void describe(CLI::App& app, Options& options) {
  add_common_options(app, {options.list, options.setting.quick, options.json, options.filter});
  app.add_option("--kills", options.setting.kills, "processes killed for the figure 'kill'")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--users", options.users,
               "run each process as a user of its own, with a daemon between them (needs root)");
}

std::vector<Figure> all_figures() {
  std::vector<Figure> figures = equal_process_figures();
  for (Figure& figure : short_launch_figures()) figures.push_back(std::move(figure));
  figures.push_back(arbitration_figure());
  figures.push_back(alternation_figure());
  figures.push_back(kill_figure());
  figures.push_back(xclbin_figure());
  figures.push_back(graph_figure());
  figures.push_back(idle_figure());
  return figures;
}

// Measures and prints; false if a figure could not be had.
bool measure(const std::vector<Figure>& figures, Options& options) {
  bool all_right = true;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  Setting& setting = options.setting;
  if (!figures.empty()) examine(setting);
  if (!options.json && !figures.empty())
    std::printf("%s, %u CPUs, %.3f ns a step\n", setting.platform.c_str(), setting.cpus,
                setting.step_seconds * 1e9);
  for (const Figure& figure : figures) {
    if (figure.ours_only && !setting.ours) continue;
    const ForeignLoad foreign;
    try {
      for (const Row& row : figure.measure(setting)) {
        if (!options.json)
          std::printf("%-36s %12.4f  %s\n", row.name.c_str(), row.value, row.unit.c_str());
        results.push_back({{"name", row.name}, {row.unit, row.value}});
      }
    } catch (const std::exception& error) {
      all_right = false;
      std::fprintf(stderr, "conclave_share_bench: %s: %s\n", figure.name.c_str(), error.what());
      results.push_back(
          {{"name", figure.name}, {"error_occurred", true}, {"error_message", error.what()}});
    }
    std::fflush(stdout);
    if (const double share = foreign.share(); share > 0.02 && !setting.quick)
      std::fprintf(stderr, "%s: other programs took %.0f %% of the CPUs meanwhile\n",
                   figure.name.c_str(), 100 * share);
  }
  if (options.json)
    std::printf("%s\n", nlohmann::ordered_json{{"benchmarks", results}}.dump(2).c_str());
  return all_right;
}

int run(Options& options) {
  std::vector<Figure> figures;
  for (Figure& figure : all_figures())
    if (std::regex_search(figure.name, options.filter)) figures.push_back(std::move(figure));
  if (options.list) {
    for (const Figure& figure : figures)
      std::printf("%-18s %s%s\n", figure.name.c_str(), figure.meaning.c_str(),
                  figure.ours_only ? " (Conclave only)" : "");
    return 0;
  }
  const conclave::test::TemporarySegment segment;
  const conclave::test::TemporarySegment fcfs_segment(".fcfs");
  const conclave::test::TemporaryDirectory runtime;  // for files of xclbins
  options.setting.environment = {segment.setting(), "XDG_RUNTIME_DIR=" + runtime.path()};
  std::optional<conclave::test::DaemonProcess> daemon, fcfs_daemon;
  if (options.users) {
    options.setting.environment.push_back(conclave::test::kEachAnotherUser);
    daemon.emplace(segment.name());
    fcfs_daemon.emplace(fcfs_segment.name(), R"({"scheduler": "fcfs"})");
  }
  return measure(figures, options) ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const int status = conclave::test::run_role(argc, argv, bench::roles());
  if (status >= 0) return status;
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died shows otherwise
  CLI::App app{
      "Measures how processes share the first device that the OpenCL loader offers; "
      "OCL_ICD_VENDORS "
      "chooses which one that is.",
      "conclave_share_bench"};
  bench::Options options;
  bench::describe(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    return bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conclave_share_bench: %s\n", error.what());
    return 1;
  }
}
