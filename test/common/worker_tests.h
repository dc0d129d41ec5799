// SPDX-License-Identifier: Apache-2.0
// For programs of GoogleTest that are also the workers of their tests (worker_process.h).
#ifndef CONCLAVE_TEST_COMMON_WORKER_TESTS_H_
#define CONCLAVE_TEST_COMMON_WORKER_TESTS_H_

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "temporary_directory.h"
#include "temporary_segment.h"
#include "worker_process.h"

namespace conclave::test {

// Plays the role that the command line asks for, or else runs the tests. The program's exit status.
inline int run_role_or_tests(
    int argc, char** argv, const std::map<std::string, Role>& roles,
    const std::function<int()>& run = [] { return RUN_ALL_TESTS(); }) {
  if (const int status = run_role(argc, argv, roles); status >= 0) return status;
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died shows otherwise
  testing::InitGoogleTest(&argc, argv);
  return run();
}

// While it lives this program and its workers have a device, with so many compute units, that no
// other program uses.
class OwnDevice {
 public:
  // `suffix` tells the programs' segments apart.
  OwnDevice(const std::string& suffix, int units) : segment_(suffix) {
    setenv("CONCLAVE_SEGMENT", segment_.name().c_str(), 1);
    setenv("CONCLAVE_COMPUTE_UNITS", std::to_string(units).c_str(), 1);
    setenv("XDG_RUNTIME_DIR", runtime_.path().c_str(), 1);
  }

 private:
  const TemporarySegment segment_;
  const TemporaryDirectory runtime_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_COMMON_WORKER_TESTS_H_
