// SPDX-License-Identifier: Apache-2.0
#include "monitor/self_test.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "monitor/doctor/own_programs.h"
#include "monitor/doctor/probe.h"
#include "monitor/snapshot_json.h"
#include "monitor/table.h"
#include "platform/base/cpu_info.h"
#include "platform/base/printable.h"

namespace conclave::monitor {
namespace {

// A figure of conclave_bench (test/bench), and what docs/performance.md says of it.
struct Figure {
  const char* benchmark;
  const char* unit;  // and the name under which the benchmark reports it
  const char* what;
  const char* published;
};
constexpr Figure kFigures[] = {
    {"startup", "ms", "start: first clGet* to queue created, new process", "0.45"},
    {"build_cold", "ms", "cold build of 8 kernels, new process", "86.7"},
    {"build_again_same_process", "ms", "the same program again in the same process", "0.46"},
    {"build_cached_new_process", "ms", "the same program from the disk cache, new process", "0.40"},
    {"host_process_growth", "MB", "growth of the host process by a run", "1.9"},
    {"launch_empty_and_finish", "us", "empty kernel, enqueue + clFinish", "0.31"},
    {"launch_stream_empty", "us", "20,000 empty launches, then one clFinish, each", "0.24"},
    {"launch_64_groups_and_finish", "us", "64 small work-groups, enqueue + clFinish", "0.83"},
    {"read_4_bytes", "us", "blocking read of 4 bytes", "0.24"},
    {"copy_kernel", "GB/s", "copy kernel", "27.8"},
    {"triad_kernel", "GB/s", "triad kernel", "29.0"},
    {"copy_buffer", "GB/s", "clEnqueueCopyBuffer", "27.1"},
    {"sgemm_relative_to_openblas", "x", "sgemm, relative to OpenBLAS", "0.93"},
};
constexpr char kPublishedOn[] = "2 CPUs of an AMD EPYC (Zen 3, AVX2), docs/performance.md";
// With more runnable threads per CPU than this, others take part of the time.
constexpr double kIdleLoad = 0.25;
// The slowest figure takes some seconds on a slow machine.
constexpr double kPatienceSeconds = 300;

struct Result {
  std::optional<double> value;
  std::string error;
};

Result measure(const std::string& program, const Figure& figure, bool quick) {
  const std::string filter = std::string("--benchmark_filter=^") + figure.benchmark + "/";
  const Probe run = probe(
      [&](FILE* output) {
        dup2(fileno(output), STDOUT_FILENO);
        std::vector<const char*> words = {program.c_str(), "--benchmark_format=json",
                                          filter.c_str()};
        if (quick) words.push_back("--quick");
        words.push_back(nullptr);
        execv(program.c_str(), const_cast<char* const*>(words.data()));
        return 127;
      },
      kPatienceSeconds);
  const Json json = Json::parse(run.output, nullptr, false);
  const Json none = Json::array();
  const Json& list = json.is_object() && json.contains("benchmarks") ? json["benchmarks"] : none;
  if (!list.empty() && list[0].contains(figure.unit) && list[0][figure.unit].is_number())
    return {list[0][figure.unit].get<double>(), ""};
  if (!list.empty() && list[0].contains("error_message"))
    return {std::nullopt, printable(list[0]["error_message"].dump())};
  return {std::nullopt, run.failure() + " " + printable(run.log)};
}

std::string digits(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.3g", value);
  return text;
}

class SelfTest {
 public:
  SelfTest(const SelfTestOptions& options, std::string program)
      : options_(options), program_(std::move(program)) {}

  int run() {
    if (getloadavg(&load_, 1) != 1) load_ = 0;
    const bool watched = !options_.json && isatty(STDERR_FILENO);
    for (const Figure& figure : kFigures) {
      if (watched) {
        fprintf(stderr, "\r\033[K%zu of %zu: %s", results_.size() + 1, std::size(kFigures),
                figure.what);
        fflush(stderr);
      }
      results_.push_back(measure(program_, figure, options_.quick));
    }
    if (watched) fprintf(stderr, "\r\033[K");
    options_.json ? print_json() : print();
    for (const Result& result : results_)
      if (!result.value) return 1;
    return 0;
  }

 private:
  bool is_busy() const {
    return load_ > kIdleLoad * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  }

  void print() const {
    Table table({"Figure", "Unit", "Here", "Published"});
    for (size_t i = 0; i < results_.size(); ++i)
      table.add({kFigures[i].what, kFigures[i].unit,
                 results_[i].value ? digits(*results_[i].value) : "failed", kFigures[i].published});
    if (is_busy()) printf("The machine is busy (load %.1f): repeat this when it is idle.\n", load_);
    printf("Here       %s, Conclave %s\nPublished  %s\n\n%s", CpuInfo::get().model.c_str(),
           CONCLAVE_VERSION, kPublishedOn, table.text().c_str());
    for (size_t i = 0; i < results_.size(); ++i)
      if (!results_[i].value) printf("%s: %s\n", kFigures[i].benchmark, results_[i].error.c_str());
  }

  void print_json() const {
    Json list = Json::array();
    for (size_t i = 0; i < results_.size(); ++i) {
      const Result& result = results_[i];
      list.push_back({{"name", kFigures[i].benchmark},
                      {"what", kFigures[i].what},
                      {"unit", kFigures[i].unit},
                      {"here", result.value ? Json(*result.value) : Json(nullptr)},
                      {"published", std::atof(kFigures[i].published)},
                      {"error", result.error.empty() ? Json(nullptr) : Json(result.error)}});
    }
    fputs(to_text({{"version", CONCLAVE_VERSION},
                   {"machine", CpuInfo::get().model},
                   {"busy", is_busy()},
                   {"published-on", kPublishedOn},
                   {"figures", std::move(list)}})
              .c_str(),
          stdout);
  }

  const SelfTestOptions& options_;
  const std::string program_;
  double load_ = 0;  // before the measurements
  std::vector<Result> results_;
};

}  // namespace

int self_test(const SelfTestOptions& options) {
  const std::string program = own_file({"bin/conclave_bench", "libexec/conclave/conclave_bench"});
  if (!program.empty()) return SelfTest(options, program).run();
  fprintf(stderr,
          "conclave bench: conclave_bench is not installed beside these tools: install the package "
          "conclave-examples, or build with tests (CONCLAVE_BUILD_TESTS)\n");
  return 1;
}

}  // namespace conclave::monitor
