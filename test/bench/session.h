// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_BENCH_SESSION_H_
#define CONCLAVE_TEST_BENCH_SESSION_H_

#include <benchmark/benchmark.h>
#include <time.h>

#include <CL/opencl.hpp>
#include <chrono>
#include <functional>
#include <vector>

namespace bench {

// The first device of the first platform, with one in-order queue.
struct Session {
  Session();
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

// The session that all benchmarks of this process share.
Session& session();

// Whether --quick was given: as few samples as still show that the results are right.
extern bool quick;

// Whether any benchmark has found an error.
extern bool failed;

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What all threads of this process have had of the CPUs. Others who compute take nothing of it.
inline double cpu_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The bytes of a file. Throws std::runtime_error where it cannot be read.
std::string read_file(const std::string& path);

// The middle one; `samples` must not be empty.
double median(std::vector<double> samples);

// Registers a benchmark that calls sample() `count` times, each call giving the seconds it has
// timed, and reports report(median seconds) under the counter `unit`. sample() throws where the
// result of what it timed is wrong, which makes the benchmark an error.
struct Measurement {
  const char* name;
  const char* unit;  // "us", "ms", "MB": the less the better; others: the more the better
  int count;
  std::function<std::function<double()>()> prepare;  // makes what sample() needs, and sample()
  std::function<double(double)> report;
};
void add(const Measurement& measurement);

inline double microseconds(double seconds) {
  return seconds * 1e6;
}
inline double milliseconds(double seconds) {
  return seconds * 1e3;
}

// Throws std::runtime_error with that text.
[[noreturn]] void wrong(const std::string& what);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_SESSION_H_
