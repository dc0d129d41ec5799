// SPDX-License-Identifier: Apache-2.0
// What the tests of xclbins share: processes that meet in a place of their own, and what they
// are told step by step (xclbin_roles.h).
#ifndef CONCLAVE_TEST_SHARE_XCLBIN_FIXTURE_H_
#define CONCLAVE_TEST_SHARE_XCLBIN_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "test/common/temporary_directory.h"
#include "test/common/temporary_segment.h"
#include "xclbin_roles.h"

namespace conclave::test {

using Steps = std::vector<std::string>;

class Xclbins : public testing::Test {
 protected:
  // This process looks where its workers meet.
  Xclbins() { setenv("XDG_RUNTIME_DIR", runtime_.path().c_str(), 1); }

  std::vector<std::string> settings(const std::vector<std::string>& more = {}) const {
    // The first of two settings of a variable counts.
    std::vector<std::string> all = more;
    all.insert(all.end(), {segment_.setting(), "CONCLAVE_COMPUTE_UNITS=2",
                           "XDG_RUNTIME_DIR=" + runtime_.path()});
    return all;
  }
  std::unique_ptr<WorkerProcess> start(const std::string& role,
                                       const std::vector<std::string>& more = {}) const {
    return std::make_unique<WorkerProcess>(role, Arguments{}, settings(more));
  }
  static int step(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return std::stoi(worker.receive());
  }
  static std::string ask(WorkerProcess& worker, const std::string& line) {
    worker.send(line);
    return worker.receive();
  }
  static void expect_steps(WorkerProcess& worker, const Steps& steps) {
    for (const std::string& line : steps) EXPECT_EQ(step(worker, line), 0) << line;
  }

  // The file of the xclbin that is loaded, which processes have from each other.
  std::string kept_file() const { return runtime_.file("conclave/" + segment_.name() + ".xclbin"); }

  TemporarySegment segment_{".xclbin"};
  TemporaryDirectory runtime_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_XCLBIN_FIXTURE_H_
