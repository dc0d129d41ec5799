// SPDX-License-Identifier: Apache-2.0
// Measures kernels of many classes, each beside a version by hand.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>

#include "../common_options.h"
#include "common/device_choice.h"
#include "kernel_case.h"
#include "limits/parallel.h"

namespace bench {
namespace {

struct Options {
  bool list = false, json = false;
  std::string suite = "kernels";
  std::regex filter{"."};
};

// Whether --best was given.
bool best = false;

// The value of --launches.
unsigned launches = 1;

// What clBuildProgram gets.
std::string build_options;

// Of --versus: what it gets besides for the kernels that the others are compared with.
std::string other_options;

void describe(CLI::App& app, Options& options) {
  app.add_option("--suite", options.suite,
                 "kernels of many classes (kernels), or mathematical functions beside loops that "
                 "call SLEEF (math)")
      ->check(CLI::IsMember({"kernels", "math"}))
      ->capture_default_str();
  add_common_options(app, {options.list, quick, options.json, options.filter});
  app.add_flag("--best", best, "report the shortest call, not the median: for a busy machine");
  app.add_option("--launches", launches,
                 "launches in a row that are measured as one, so that starting and waiting count "
                 "less")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--build-options", build_options, "build the kernels with these");
  app.add_option("--versus", other_options,
                 "build each kernel with these options besides, once more, run both in turn and "
                 "tell how many times the CPU time the second takes");
}

// The median, or the best, of so many calls as take half a second, but of 5 at least and 50 at
// most.
double seconds_per_call(const std::function<void()>& work) {
  std::vector<double> samples;
  const size_t fewest = quick ? 1 : 5, most = quick ? 1 : 50;
  for (double total = 0; samples.size() < fewest || (total < 0.5 && samples.size() < most);
       total += samples.back()) {
    const auto start = std::chrono::steady_clock::now();
    work();
    samples.push_back(seconds_since(start));
  }
  return best ? *std::ranges::min_element(samples) : median(samples);
}

// Threads that wait for work may spin for a while, and would take time from what comes next.
void rest() {
  if (!quick) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

struct Times {
  double device, limit, amount;
};

Times measure(const KernelCase& kernel_case) {
  const Problem problem = kernel_case.prepare();
  const auto launch = [&](unsigned times) {
    for (unsigned i = 0; i < times; ++i)
      session().queue.enqueueNDRangeKernel(problem.kernel, cl::NullRange, problem.global,
                                           problem.local);
    session().queue.finish();
  };
  try {
    problem.limit();
    problem.check();
  } catch (const std::exception& error) {
    wrong(std::string("the version by hand: ") + error.what());
  }
  launch(1);
  problem.fetch();
  problem.check();
  if (quick) return {1, 1, problem.amount};
  const auto measure_launches = [&] {
    return seconds_per_call([&] { launch(launches); }) / launches;
  };
  // A platform may have begun to make better code in the background.
  measure_launches();
  rest();
  const double limit = seconds_per_call(problem.limit);
  rest();
  return {measure_launches(), limit, problem.amount};
}

// Has its own arrays, which are checked once.
Problem prepare_checked(const KernelCase& kernel_case) {
  Problem problem = kernel_case.prepare();
  session().queue.enqueueNDRangeKernel(problem.kernel, cl::NullRange, problem.global,
                                       problem.local);
  problem.limit();
  problem.fetch();
  problem.check();
  return problem;
}

double cpu_seconds_of_launches(const Problem& problem) {
  const double start = cpu_seconds();
  for (unsigned i = 0; i < launches; ++i)
    session().queue.enqueueNDRangeKernel(problem.kernel, cl::NullRange, problem.global,
                                         problem.local);
  session().queue.finish();
  return (cpu_seconds() - start) / launches;
}

// The median of so many rounds as take two seconds of CPU time, but of 5 at least and 200 at most.
// Not the least: on a busy virtual machine the clock of CPU time has been seen to miss most of a
// round now and then.
Times compare(const KernelCase& kernel_case) {
  const Problem one = prepare_checked(kernel_case);
  const std::string usual_options = build_options;
  build_options += " " + other_options;
  const Problem other = prepare_checked(kernel_case);
  build_options = usual_options;
  std::vector<double> times, other_times;
  const double start = cpu_seconds();
  for (size_t round = 0; round < 5 || (round < 200 && cpu_seconds() - start < 2); ++round) {
    times.push_back(cpu_seconds_of_launches(one));
    other_times.push_back(cpu_seconds_of_launches(other));
  }
  return {median(times), median(other_times), one.amount};
}

double rate(const std::string& unit, double amount, double seconds) {
  return amount / seconds * (unit.starts_with("G") ? 1e-9 : 1e-6);
}

void print_table_row(const KernelCase& kernel_case, const Times& times) {
  if (quick) {
    std::printf("%-18s right\n", kernel_case.name.c_str());
    return;
  }
  const std::string& unit = kernel_case.unit;
  std::printf("%-18s %9.3f ms %9.3f ms by hand %10.4g %-22s %6.3f of the limit\n",
              kernel_case.name.c_str(), times.device * 1e3, times.limit * 1e3,
              rate(unit, times.amount, times.device), unit.c_str(), times.limit / times.device);
}

// The last key of a row is its subject.
void add_rows(nlohmann::ordered_json& rows, const KernelCase& kernel_case, const Times& times) {
  rows.push_back({{"name", kernel_case.name},
                  {"real_time", times.device * 1e3},
                  {"time_unit", "ms"},
                  {kernel_case.unit, rate(kernel_case.unit, times.amount, times.device)}});
  rows.push_back({{"name", kernel_case.name + "_of_limit"},
                  {"real_time", times.limit * 1e3},
                  {"time_unit", "ms"},
                  {"x", times.limit / times.device}});
}

std::string explain(const std::exception& error) {
  const auto* opencl = dynamic_cast<const cl::Error*>(&error);
  return opencl != nullptr ? examples::describe(*opencl) : error.what();
}

// The same of each kernel with other options.
bool compare_all(const std::vector<KernelCase>& cases, bool json) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  bool all_right = true;
  for (const KernelCase& kernel_case : cases) try {
      const auto [time, other_time, amount] = compare(kernel_case);
      rows.push_back({{"name", kernel_case.name},
                      {"real_time", time * 1e3},
                      {"other_time", other_time * 1e3},
                      {"time_unit", "ms"},
                      {"x", other_time / time}});
      if (!json)
        std::printf("%-18s %9.3f ms %9.3f ms %6.3f times as much\n", kernel_case.name.c_str(),
                    time * 1e3, other_time * 1e3, other_time / time);
      std::fflush(stdout);
    } catch (const std::exception& error) {
      all_right = false;
      std::fprintf(stderr, "conclave_kernel_bench: %s: %s\n", kernel_case.name.c_str(),
                   explain(error).c_str());
    }
  if (json) std::printf("%s\n", nlohmann::ordered_json{{"benchmarks", rows}}.dump(2).c_str());
  return all_right;
}

// Measures and prints; false if a kernel failed.
bool measure(const std::vector<KernelCase>& cases, bool json) {
  const auto threads = session().device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  limits::set_threads(threads);
  if (!json)
    std::printf("%s, %u compute units; by hand: %s\n",
                session().device.getInfo<CL_DEVICE_NAME>().c_str(), threads,
                limits::target_description());
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  bool all_right = true;
  for (const KernelCase& kernel_case : cases) try {
      const Times times = measure(kernel_case);
      add_rows(rows, kernel_case, times);
      if (!json) print_table_row(kernel_case, times);
      std::fflush(stdout);
    } catch (const std::exception& error) {
      all_right = false;
      const std::string text = explain(error);
      std::fprintf(stderr, "conclave_kernel_bench: %s: %s\n", kernel_case.name.c_str(),
                   text.c_str());
      rows.push_back(
          {{"name", kernel_case.name}, {"error_occurred", true}, {"error_message", text}});
    }
  if (json) std::printf("%s\n", nlohmann::ordered_json{{"benchmarks", rows}}.dump(2).c_str());
  return all_right;
}

std::vector<KernelClass> classes_of(const Options& options) {
  if (options.suite == "math") return {math_functions()};
  return {streaming_kernels(), compute_kernels(), divergent_kernels(),
          barrier_kernels(),   stencil_kernels(), integer_kernels()};
}

int run(const Options& options) {
  std::vector<KernelCase> cases;
  for (const KernelClass& kernels : classes_of(options))
    for (const KernelCase& kernel_case : kernels.kernels) {
      if (!std::regex_search(kernel_case.name, options.filter)) continue;
      if (options.list) std::printf("%-18s %s\n", kernel_case.name.c_str(), kernels.name.c_str());
      cases.push_back(kernel_case);
    }
  if (options.list) return 0;
  const bool all_right =
      other_options.empty() ? measure(cases, options.json) : compare_all(cases, options.json);
  return all_right ? 0 : 1;
}

}  // namespace

cl::Kernel build_kernel(const char* source, const char* name) {
  cl::Program program(session().context, source);
  program.build({session().device}, build_options.c_str());
  return {program, name};
}

}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app{
      "Measures kernels on the first device that the OpenCL loader offers, each beside a version "
      "by "
      "hand; OCL_ICD_VENDORS chooses which device that is.",
      "conclave_kernel_bench"};
  bench::Options options;
  bench::describe(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    return bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conclave_kernel_bench: %s\n", bench::explain(error).c_str());
    return 1;
  }
}
