// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_MONITOR_SELF_TEST_H_
#define CONCLAVE_MONITOR_SELF_TEST_H_

namespace conclave::monitor {

struct SelfTestOptions {
  bool quick = false;  // each figure from a few measurements
  bool json = false;
};

// Measures this machine, checks the results of what it runs, and shows the figures beside the
// published ones. Takes two minutes. Returns the exit status: 1 if something went wrong.
int self_test(const SelfTestOptions& options);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_SELF_TEST_H_
