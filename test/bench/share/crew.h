// SPDX-License-Identifier: Apache-2.0
// Several workers in the same role, and what they have done at an instant.
#ifndef CONCLAVE_TEST_BENCH_SHARE_CREW_H_
#define CONCLAVE_TEST_BENCH_SHARE_CREW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "figures.h"
#include "test/common/worker_process.h"

namespace bench {

class Crew {
 public:
  struct Sample {
    double seconds;
    std::vector<uint32_t> progress;  // of each worker
    double cpu_seconds;              // of all
  };

  // Starts the workers; ready when the constructor returns.
  Crew(unsigned count, const std::string& role, const std::vector<std::string>& arguments,
       const Setting& setting);

  void go(const std::string& line = "go");
  Sample sample() const;
  // Lets the workers finish, which checks what they computed. Throws std::runtime_error if one
  // found an error.
  void stop();

 private:
  std::vector<std::unique_ptr<conclave::test::WorkerProcess>> workers_;
};

// Work done between two samples: of all workers, and Jain's index of how even it is (1: all equal,
// 1/n: one of n has done everything).
double work(const Crew::Sample& begin, const Crew::Sample& end);
double fairness(const Crew::Sample& begin, const Crew::Sample& end);

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_SHARE_CREW_H_
