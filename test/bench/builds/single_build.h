// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_TEST_BENCH_BUILDS_SINGLE_BUILD_H_
#define CONCLAVE_TEST_BENCH_BUILDS_SINGLE_BUILD_H_

#include <optional>
#include <string>

namespace bench {

// The process whose build is measured: it builds a program once, and nothing else.
struct SingleBuild {
  std::string source;       // a file
  std::string options;      // for clBuildProgram
  bool warm = false;        // build a small program before it
  bool small_only = false;  // build the small program alone
};

// Prints the wall time of the build, or why there is none; returns the exit status.
int build_once(const SingleBuild& build);

// The other side: the seconds that a process printed into the file `output`.
std::optional<double> printed_seconds(const std::string& output);

// The first line of `output` that tells an error, or else the first line.
std::string printed_reason(const std::string& output);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_BUILDS_SINGLE_BUILD_H_
