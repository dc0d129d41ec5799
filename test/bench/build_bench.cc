// SPDX-License-Identifier: Apache-2.0
// What a program pays before its first kernel runs. Every sample is a process of its own.
#include <algorithm>
#include <future>
#include <memory>

#include "fresh_process.h"
#include "groups.h"
#include "session.h"

namespace bench {
namespace {

// Which number of --once=build to take.
enum BuildFigure : size_t { kBuilt = 0, kFirstRun = 1, kRebuilt = 2 };

// Every sample with an empty cache.
std::function<double()> cold(BuildFigure figure) {
  return [figure] {
    const TemporaryDirectory cache;
    return run_fresh_process("build", cache.path(), 3)[figure];
  };
}

// Every sample with a cache that an earlier process has filled.
std::function<double()> cached(BuildFigure figure) {
  auto cache = std::make_shared<TemporaryDirectory>();
  run_fresh_process("build", cache->path(), 3);
  return [cache, figure] { return run_fresh_process("build", cache->path(), 3)[figure]; };
}

std::function<double()> once(const char* mode, size_t figure) {
  auto cache = std::make_shared<TemporaryDirectory>();
  return
      [cache, mode, figure] { return run_fresh_process(mode, cache->path(), figure + 1)[figure]; };
}

// How long the last of so many processes has waited for its build, all of them wanting the same at
// the same moment and none having a cache.
std::function<double()> at_once(int processes) {
  return [processes] {
    const TemporaryDirectory cache;
    // By then all of them have started.
    const auto begin = std::chrono::steady_clock::now() + std::chrono::milliseconds(50 * processes);
    std::vector<std::future<double>> builds;
    for (int i = 0; i < processes; ++i)
      builds.push_back(std::async(std::launch::async, [&] {
        return run_fresh_process("build-alone", cache.path(), 1, begin)[0];
      }));
    double last = 0;
    for (std::future<double>& build : builds) last = std::max(last, build.get());
    return last;
  };
}

double unchanged(double number) {
  return number;
}
double megabytes(double bytes) {
  return bytes / 1e6;
}

}  // namespace

void add_process_benchmarks() {
  add({"startup", "ms", 15, [] { return once("startup", 0); }, milliseconds});
  add({"build_cold", "ms", 7, [] { return cold(kBuilt); }, milliseconds});
  add({"build_cold_and_first_run", "ms", 7, [] { return cold(kFirstRun); }, milliseconds});
  add({"build_again_same_process", "ms", 7, [] { return cold(kRebuilt); }, milliseconds});
  add({"build_cached_new_process", "ms", 15, [] { return cached(kBuilt); }, milliseconds});
  add({"build_cached_and_first_run", "ms", 15, [] { return cached(kFirstRun); }, milliseconds});
  add({"build_32_at_once", "ms", 7, [] { return at_once(32); }, milliseconds});
  add({"load_binary", "ms", 15, [] { return once("load", 0); }, milliseconds});
  add({"host_process_growth", "MB", 5, [] { return once("footprint", 0); }, megabytes});
  add({"host_process_maps_llvm", "yes=1 (less is better)", 1, [] { return once("footprint", 1); },
       unchanged});
}

}  // namespace bench
