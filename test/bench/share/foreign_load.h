// SPDX-License-Identifier: Apache-2.0
// What other programs, and other guests of the host, took from the CPUs while something was
// measured.
#ifndef CONCLAVE_TEST_BENCH_SHARE_FOREIGN_LOAD_H_
#define CONCLAVE_TEST_BENCH_SHARE_FOREIGN_LOAD_H_

namespace bench {

class ForeignLoad {
 public:
  ForeignLoad();
  // Their part of the CPUs' time since then, 0 to 1. Processes of this program count as far as they
  // have ended.
  double share() const;

 private:
  struct Times {
    double wall, busy, own;  // seconds; of the CPUs this process may use
  };
  static Times read();
  Times begin_;
};

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_SHARE_FOREIGN_LOAD_H_
