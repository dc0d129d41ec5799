// SPDX-License-Identifier: Apache-2.0
// Measures the first device that the OpenCL loader offers; OCL_ICD_VENDORS chooses which one that
// is.
//   conclave_bench [--quick] [Google Benchmark's options]
//   conclave_bench --once=startup|build|footprint    what a fresh process does, see single_run.h
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "groups.h"
#include "session.h"
#include "single_run.h"

int main(int argc, char** argv) {
  constexpr char kOnce[] = "--once=";
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    if (std::strncmp(argv[i], kOnce, std::strlen(kOnce)) == 0)
      return bench::single_run(argv[i] + std::strlen(kOnce));
    if (std::strcmp(argv[i], "--quick") == 0)
      bench::quick = true;
    else
      rest.push_back(argv[i]);
  }
  // Fresh processes first: nothing of this process runs beside them yet.
  bench::add_process_benchmarks();
  bench::add_launch_benchmarks();
  bench::add_host_thread_benchmarks();
  bench::add_memory_benchmarks();
  bench::add_product_benchmarks();
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return bench::failed ? 1 : 0;
}
