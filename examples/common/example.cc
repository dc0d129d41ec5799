// SPDX-License-Identifier: Apache-2.0
#include "common/example.h"

#include <cstdio>

namespace examples {

cl::Program Accelerator::build(const std::string& source, const char* options) const {
  cl::Program program(context, source);
  program.build({device}, options);
  return program;
}

cl::Program Accelerator::build(const void* binary, size_t size) const {
  const auto* bytes = static_cast<const unsigned char*>(binary);
  cl::Program program(context, {device}, {std::vector<unsigned char>(bytes, bytes + size)});
  program.build({device});
  return program;
}

int run_simple_example(int argc, char** argv, const char* name, const char* purpose,
                       const std::function<size_t()>& body) {
  const std::string usage = "Usage: " + std::string(name) + " [-h]\n" + purpose;
  return run_example(name, usage.c_str(), [&] {
    bool help = false;
    for_each_option(argc, argv, "h", [&](char, const char*) { help = true; });
    if (!help) return body();
    std::printf("%s\n", usage.c_str());
    return size_t{0};
  });
}

void print_times(const cl::Event& event, const char* name) {
  const auto print = [&](const char* what, cl_ulong from, cl_ulong to) {
    std::printf("%s : %s: %llu us\n", name, what,
                static_cast<unsigned long long>((to - from) / 1000));
  };
  const auto queued = event.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>();
  const auto submitted = event.getProfilingInfo<CL_PROFILING_COMMAND_SUBMIT>();
  const auto started = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
  const auto ended = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  print("Queue  to Submit", queued, submitted);
  print("Submit to Start ", submitted, started);
  print("Start  to End   ", started, ended);
  std::printf("\n");
}

size_t report(size_t errors, const char* success) {
  if (errors == 0)
    std::printf("%s\n", success);
  else
    std::printf("Failed with %zu errors!\n", errors);
  return errors;
}

}  // namespace examples
