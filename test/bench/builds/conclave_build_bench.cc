// SPDX-License-Identifier: Apache-2.0
// Measures the builds of one program: cold (new process, empty cache), cached (new process, filled
// cache) and warm (in a process that has built another program, empty cache otherwise). Prints one
// JSON object, with a member for each of them or with the member "error".
#include <string.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "process_tree.h"
#include "single_build.h"
#include "test/common/temporary_directory.h"

namespace bench {
namespace {

using conclave::test::TemporaryDirectory;

struct Options {
  SingleBuild build;
  bool once = false;  // be the process that is measured
  double limit = 60;  // seconds for each build
};

struct Figures {
  double wall, cpu;  // seconds
  double peak;       // bytes
};

std::string why(const TreeRun& run, const Options& options, const std::string& output) {
  if (!run.in_time) {
    std::ostringstream text;
    text << "not built within " << options.limit << " s";
    return text.str();
  }
  if (WIFSIGNALED(run.status)) return std::string("crashed: ") + strsignal(WTERMSIG(run.status));
  return printed_reason(output);
}

// Throws std::runtime_error with the reason if the program is not built.
Figures measure(const Options& options, const TemporaryDirectory& cache,
                const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"--once"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  if (!options.build.options.empty()) arguments.push_back("--options=" + options.build.options);
  if (!options.build.source.empty()) arguments.push_back(options.build.source);
  const std::string output = cache.file("output");
  const TreeRun run =
      run_tree(arguments,
               {"XDG_CACHE_HOME=" + cache.path(), "CONCLAVE_CACHE_DIR=" + cache.path(),
                "POCL_CACHE_DIR=" + cache.path()},
               output, std::chrono::duration<double>(options.limit));
  const std::optional<double> wall = printed_seconds(output);
  // A crash at the end of a process that has built the program is not the build's.
  if (!run.in_time || !wall) throw std::runtime_error(why(run, options, output));
  return {*wall, run.cpu_seconds, run.peak_bytes};
}

// The second program's figures: what the small one costs before it is measured by itself.
Figures measure_warm(const Options& options) {
  const TemporaryDirectory cache, small_cache;
  const Figures small = measure(options, small_cache, {"--small-only"});
  Figures both = measure(options, cache, {"--warm"});
  both.cpu = std::max(both.cpu - small.cpu, 0.0);
  return both;
}

nlohmann::json to_json(const Figures& figures) {
  return {
      {"wall ms", figures.wall * 1e3}, {"CPU ms", figures.cpu * 1e3}, {"MB", figures.peak / 1e6}};
}

void measure_all(const Options& options) {
  nlohmann::json result;
  try {
    const TemporaryDirectory cache;
    result["cold"] = to_json(measure(options, cache));
    result["cached"] = to_json(measure(options, cache));
    result["warm"] = to_json(measure_warm(options));
  } catch (const std::runtime_error& error) {
    result = {{"error", error.what()}};
  }
  std::printf("%s\n",
              result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int run(int argc, char** argv) {
  CLI::App app("Measures cold, cached and warm builds of a program");
  Options options;
  app.add_option("source", options.build.source, "file of OpenCL C");
  app.add_option("--options", options.build.options, "build options");
  app.add_option("--limit", options.limit, "seconds for each build")->capture_default_str();
  app.add_flag("--once", options.once, "build once and print the seconds that it takes");
  app.add_flag("--warm", options.build.warm, "with --once: build a small program before");
  app.add_flag("--small-only", options.build.small_only, "with --once: only that one");
  CLI11_PARSE(app, argc, argv);
  if (options.once) return build_once(options.build);
  measure_all(options);
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::run(argc, argv);
}
