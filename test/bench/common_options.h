// SPDX-License-Identifier: Apache-2.0
// The command line that the benchmarks of kernels and of sharing have in common.
#ifndef CONCLAVE_TEST_BENCH_COMMON_OPTIONS_H_
#define CONCLAVE_TEST_BENCH_COMMON_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <regex>
#include <string>

namespace bench {

// Where the values of the options go.
struct CommonOptions {
  bool& list;
  bool& quick;
  bool& json;
  std::regex& filter;
};

inline void add_common_options(CLI::App& app, const CommonOptions& options) {
  app.add_flag("--list", options.list, "tell what there is to measure");
  app.add_flag("--quick", options.quick, "a check that everything works, no measurement");
  app.add_flag("--json", options.json, "as Google Benchmark prints it");
  app.add_option_function<std::string>(
      "--filter",
      [&filter = options.filter](const std::string& pattern) {
        try {
          filter = std::regex(pattern);
        } catch (const std::regex_error& error) {
          throw CLI::ValidationError("--filter", "'" + pattern + "': " + error.what());
        }
      },
      "only those whose name matches this regular expression");
}

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_COMMON_OPTIONS_H_
