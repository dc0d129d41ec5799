// SPDX-License-Identifier: Apache-2.0
#include "single_build.h"

#include <cstdio>
#include <stdexcept>
#include <vector>

#include "../session.h"
#include "common/device_choice.h"

namespace bench {
namespace {

constexpr char kBuilt[] = "conclave_build_bench: built in ";
constexpr char kFailed[] = "conclave_build_bench: ";
constexpr char kSmallProgram[] = "kernel void small(global int* a) { a[get_global_id(0)] += 1; }";
constexpr char kComment[] = "\n// another program\n";

// Until the machine code is there. Some implementations make it at the first launch, or when they
// are asked for the binary; arguments for launches are not known.
void build(const std::string& source, const std::string& options) {
  cl::Program program(session().context, source);
  program.build({session().device}, options.c_str());
  std::vector<cl::Kernel> kernels;
  program.createKernels(&kernels);
  program.getInfo<CL_PROGRAM_BINARIES>();
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

int build_once(const SingleBuild& wanted) {
  try {
    std::string source = wanted.small_only ? "" : read_file(wanted.source);
    if (wanted.warm) source += kComment;
    session();
    if (wanted.warm || wanted.small_only) build(kSmallProgram, "");
    const auto start = std::chrono::steady_clock::now();
    if (!wanted.small_only) build(source, wanted.options);
    std::printf("\n%s%.9f\n", kBuilt, seconds_since(start));
    return 0;
  } catch (const cl::Error& error) {
    std::printf("\n%s%s\n", kFailed, examples::describe(error).c_str());
  } catch (const std::exception& error) {
    std::printf("\n%s%s\n", kFailed, error.what());
  }
  return 1;
}

std::optional<double> printed_seconds(const std::string& output) {
  const std::string text = read_file(output);
  const size_t place = text.rfind(kBuilt);
  if (place == std::string::npos) return std::nullopt;
  return std::stod(text.substr(place + sizeof kBuilt - 1));
}

std::string printed_reason(const std::string& output) {
  const std::string text = read_file(output);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error: ") != std::string::npos) return line;
  const size_t place = text.rfind(kFailed);
  return place == std::string::npos ? first_line(text)
                                    : first_line(text.substr(place + sizeof kFailed - 1));
}

}  // namespace bench
