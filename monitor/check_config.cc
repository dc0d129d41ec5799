// SPDX-License-Identifier: Apache-2.0
#include "monitor/check_config.h"

#include <cstdio>

#include "monitor/snapshot_json.h"
#include "monitor/table.h"

namespace conclave::monitor {

std::string config_table(const Config& config) {
  Table table({"Key", "Value", "Source"});
  for (const Config::Entry& entry : config.entries)
    table.add({entry.key, entry.value.empty() ? "-" : entry.value, entry.source});
  return table.text();
}

int check_config(const std::string& file, bool json) {
  Config::Sources sources = Config::Sources::of_this_process();
  sources.file = file;
  const Config config = Config::read(sources);
  const bool valid = config.errors.empty();
  if (json) {
    const Json report = {{"configuration", to_json(config)},
                         {"warnings", config.warnings},
                         {"errors", config.errors},
                         {"valid", valid}};
    fputs(to_text(report).c_str(), stdout);
    return valid ? 0 : 1;
  }
  fputs(config_table(config).c_str(), stdout);
  printf("\n");
  for (const std::string& warning : config.warnings) printf("Warning: %s\n", warning.c_str());
  for (const std::string& error : config.errors) printf("Error: %s\n", error.c_str());
  printf("%s\n", valid ? "The configuration is valid."
                       : "The configuration is wrong: the device is reported as not available.");
  return valid ? 0 : 1;
}

}  // namespace conclave::monitor
