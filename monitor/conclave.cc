// SPDX-License-Identifier: Apache-2.0
// conclave: shows what the device is, and who does what on it.
#include <CLI/CLI.hpp>

#include "monitor/cache.h"
#include "monitor/check_config.h"
#include "monitor/examine.h"
#include "monitor/show_metrics.h"

int main(int argc, char** argv) {
  using namespace conclave::monitor;
  CLI::App app{"Shows what the device is, and who does what on it.", "conclave"};
  app.set_version_flag("--version", "conclave (Conclave) " CONCLAVE_VERSION);
  app.require_subcommand(1);

  ExamineOptions options;
  std::vector<std::string> reports = kReports;
  reports.insert(reports.end(), kNamedReports.begin(), kNamedReports.end());
  CLI::App* examine_command = app.add_subcommand(
      "examine", "Show the device, the processes that use it, and its compute units");
  examine_command->add_flag("--json", options.json, "For programs");
  examine_command
      ->add_option("-r,--report", options.reports, "Show only these parts, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(reports));
  examine_command
      ->add_option("--segment", options.segment,
                   "The name under which processes meet, instead of HeapManager")
      ->type_name("NAME");

  bool open_metrics = false;
  CLI::App* metrics_command =
      app.add_subcommand("metrics", "Write what is counted, for Prometheus and its relatives");
  metrics_command->add_flag("--openmetrics", open_metrics,
                            "OpenMetrics 1.0, instead of Prometheus's text format");
  metrics_command
      ->add_option("--segment", options.segment,
                   "The name under which processes meet, instead of HeapManager")
      ->type_name("NAME");

  std::string file;
  bool json = false;
  CLI::App* check_command = app.add_subcommand(
      "check-config", "Show the configuration, where each value comes from, and what is wrong");
  check_command
      ->add_option("--config", file, "Configuration file, instead of the one that processes use")
      ->type_name("FILE");
  check_command->add_flag("--json", json, "For programs");

  CLI::App* cache_command =
      app.add_subcommand("cache", "Show, check or clear the built programs that are kept on disk");
  cache_command->require_subcommand(1);
  cache_command->add_flag("--json", json, "For programs");
  CLI::App* show_command =
      cache_command->add_subcommand("show", "Show where they are, how many, and which");
  CLI::App* cache_check_command =
      cache_command->add_subcommand("check", "Read all of them and remove what is damaged");
  cache_command->add_subcommand("clear", "Remove all of them");

  CLI11_PARSE(app, argc, argv);
  if (*examine_command) return examine(options);
  if (*metrics_command) return show_metrics(options.segment, open_metrics);
  if (*check_command) return check_config(file, json);
  if (*show_command) return show_cache(json);
  return *cache_check_command ? check_cache(json) : clear_cache(json);
}
