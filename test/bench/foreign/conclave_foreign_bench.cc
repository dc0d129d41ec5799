// SPDX-License-Identifier: Apache-2.0
// Compares the times of a program's kernels that two lists of build options lead to.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "../session.h"
#include "common/device_choice.h"
#include "made_up_arguments.h"

namespace bench {
namespace {

// Shorter launches are measured several at a time, so that starting and waiting count less.
constexpr double kSampleSeconds = 0.005;

struct Options {
  std::string file, build_options, other_options, filter;
  double seconds = 0.5;
};

// A range of work-items and the number that all integer arguments get. The first that works is
// taken: integers are lengths of arrays, or of the sides of squares.
struct Shape {
  cl::NDRange global, local;
  cl_int number;
};

// A kernel with one list of build options.
struct Contestant {
  cl::Kernel kernel;
  std::vector<double> times;
};

cl::Program build(const std::string& source, const std::string& options) {
  cl::Program program(session().context, source);
  program.build({session().device}, ("-cl-kernel-arg-info " + options).c_str());
  return program;
}

std::vector<Shape> shapes_for(const cl::Kernel& kernel, const std::string& source) {
  const auto required =
      kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(session().device);
  const bool has_rows = source.find("_id(1)") != std::string::npos || required[1] > 1;
  if (required[0] != 0) {
    const cl::NDRange local(required[0], required[1], required[2]);
    const cl::NDRange global(required[0] * (has_rows ? 16 : 256), required[1] * (has_rows ? 16 : 1),
                             required[2]);
    return {{global, local, 1024}, {global, local, 256}, {global, local, 64}};
  }
  if (has_rows)
    return {{cl::NDRange(512, 512), cl::NDRange(16, 16), 512},
            {cl::NDRange(256, 256), cl::NDRange(16, 16), 256},
            {cl::NDRange(64, 64), cl::NDRange(16, 16), 64}};
  return {{cl::NDRange(65536), cl::NDRange(64), 65536},
          {cl::NDRange(8192), cl::NDRange(64), 1024},
          {cl::NDRange(8192), cl::NDRange(64), 64}};
}

// The CPU time of one of so many launches. Throws where one fails: a fault ends it with an error.
double run(Contestant& contestant, const Shape& shape, unsigned launches) {
  cl::Event event;
  const double start = cpu_seconds();
  for (unsigned i = 0; i < launches; ++i)
    session().queue.enqueueNDRangeKernel(contestant.kernel, cl::NullRange, shape.global,
                                         shape.local, nullptr, &event);
  event.wait();
  return (cpu_seconds() - start) / launches;
}

const Shape& find_shape(const std::vector<Shape>& shapes, MadeUpArguments& arguments,
                        std::vector<Contestant>& contestants) {
  for (const Shape& shape : shapes) try {
      for (Contestant& contestant : contestants) {
        arguments.set(contestant.kernel, shape.number);
        arguments.refill();
        run(contestant, shape, 1);
      }
      return shape;
    } catch (const cl::Error&) {
    }
  throw std::runtime_error("it runs with no made-up arguments");
}

// In turn, so that what else the machine does falls on both; the median of all rounds counts.
nlohmann::ordered_json compare(const Options& options, const std::string& source,
                               std::vector<Contestant>& contestants) {
  const auto name = contestants[0].kernel.getInfo<CL_KERNEL_FUNCTION_NAME>();
  MadeUpArguments arguments(session().context, contestants[0].kernel);
  const std::vector<Shape> shapes = shapes_for(contestants[0].kernel, source);
  const Shape& shape = find_shape(shapes, arguments, contestants);
  const double once = run(contestants[0], shape, 1);
  const auto launches = static_cast<unsigned>(std::clamp(kSampleSeconds / once, 1.0, 1000.0));
  double total = 0;
  for (size_t round = 0; round < 5 || (round < 1000 && total < 2 * options.seconds); ++round)
    for (Contestant& contestant : contestants) {
      arguments.refill();
      contestant.times.push_back(run(contestant, shape, launches));
      total += launches * contestant.times.back();
    }
  const double time = median(contestants[0].times);
  const double other = median(contestants[1].times);
  return {{"name", name},      {"real_time", time * 1e3}, {"other_time", other * 1e3},
          {"time_unit", "ms"}, {"number", shape.number},  {"x", other / time}};
}

nlohmann::ordered_json compare_all(const Options& options) {
  const std::string source = read_file(options.file);
  cl::Program usual = build(source, options.build_options);
  cl::Program other = build(source, options.build_options + " " + options.other_options);
  std::vector<cl::Kernel> kernels;
  usual.createKernels(&kernels);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const cl::Kernel& kernel : kernels) {
    const auto name = kernel.getInfo<CL_KERNEL_FUNCTION_NAME>();
    if (!options.filter.empty() &&
        ("," + options.filter + ",").find("," + name + ",") == std::string::npos)
      continue;
    std::vector<Contestant> contestants = {{kernel, {}}, {cl::Kernel(other, name.c_str()), {}}};
    try {
      rows.push_back(compare(options, source, contestants));
    } catch (const std::exception& error) {
      rows.push_back({{"name", name}, {"error_occurred", true}, {"error_message", error.what()}});
    }
  }
  return rows;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app{
      "Runs the kernels of a program with made-up arguments, built with two lists of options, in "
      "turn.",
      "conclave_foreign_bench"};
  bench::Options options;
  app.add_option("file", options.file, "OpenCL C")->required();
  app.add_option("--build-options", options.build_options, "of both");
  app.add_option("--versus", options.other_options, "besides, of the second")->required();
  app.add_option("--kernels", options.filter, "only these, separated by commas");
  app.add_option("--seconds", options.seconds, "for each kernel and list of options")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const auto rows = bench::compare_all(options);
    std::printf("%s\n", nlohmann::ordered_json{{"benchmarks", rows}}.dump(2).c_str());
    return 0;
  } catch (const cl::Error& error) {
    std::fprintf(stderr, "conclave_foreign_bench: %s\n", examples::describe(error).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conclave_foreign_bench: %s\n", error.what());
  }
  return 1;
}
